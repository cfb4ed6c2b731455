//! Runs of chunks on their way through threads, or through none, given back in the order in which they came.

use crate::chunked::SEALED_CHUNK;
use crate::{Error, Message};
use std::collections::VecDeque;
use std::io;
use std::sync::mpsc::{self, Receiver, Sender, SyncSender, TryRecvError};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use zeroize::Zeroizing;

/// Chunks of a run for a thread, 1 MiB: what sending it costs is little beside its work. As many go without threads
/// first, so that a short message starts none.
const CHUNKS: usize = 64;
/// All data pass through the caller's thread, which cannot keep more threads at work; and memory stays below 40 MiB.
const MOST_THREADS: usize = 16;

/// Some chunks: text, or sealed.
#[derive(Default)]
pub(crate) struct Run {
    /// The number of its first chunk, once it was given to [`Runs`].
    pub(crate) first: u64,
    pub(crate) bytes: Zeroizing<Vec<u8>>,
    /// How many of `bytes` are in use.
    pub(crate) filled: usize,
    /// What came behind those bytes.
    pub(crate) error: Option<Error>,
}

/// What is done to a run: sealing or opening.
pub(crate) type Work = fn(&Message, &mut Run);

/// A queue of runs, in order.
pub(crate) struct Runs {
    message: Arc<Message>,
    work: Work,
    queue: VecDeque<Place>,
    /// Buffers to use again.
    spare: Vec<Zeroizing<Vec<u8>>>,
    /// The number of the next chunk.
    number: u64,
    /// Chunks since the first or the last jump.
    passed: u64,
    threads: usize,
    pool: Option<Pool>,
}

enum Place {
    Done(Run),
    Coming(Receiver<Run>),
}

impl Runs {
    pub(crate) fn new(message: Message, work: Work) -> Self {
        let (queue, spare) = (VecDeque::new(), Vec::new());
        Self { message: Arc::new(message), work, queue, spare, number: 0, passed: 0, threads: 1, pool: None }
    }

    /// How many threads work on long messages; 0 and 1 mean none but the caller's.
    pub(crate) fn set_threads(&mut self, n: usize) {
        self.threads = n.min(MOST_THREADS);
        self.pool = None;
    }

    /// The number of the next chunk.
    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.queue.is_empty()
    }

    /// Whether a run must be taken before another one is given.
    pub(crate) fn is_full(&self) -> bool {
        self.queue.len() >= self.pool.as_ref().map_or(1, |pool| 2 * pool.workers.len())
    }

    /// An empty run: of one chunk, or of many where threads are worth it.
    pub(crate) fn next(&mut self) -> Run {
        if self.threads > 1 && self.pool.is_none() && self.passed >= CHUNKS as u64 {
            self.pool = Pool::start(self.threads, &self.message, self.work);
            if self.pool.is_none() {
                self.threads = 1;
            }
        }
        let len = if self.pool.is_some() { CHUNKS * SEALED_CHUNK } else { SEALED_CHUNK };
        self.spare.retain(|bytes| bytes.len() == len);
        let bytes = self.spare.pop().unwrap_or_else(|| vec![0; len].into());
        Run { bytes, ..Run::default() }
    }

    /// Its chunks get the next numbers.
    pub(crate) fn give(&mut self, mut run: Run) {
        run.first = self.number;
        let chunks = run.filled.div_ceil(SEALED_CHUNK) as u64;
        self.number = self.number.saturating_add(chunks);
        self.passed = self.passed.saturating_add(chunks);
        let place = match &self.pool {
            Some(pool) => pool.send(run),
            None => {
                (self.work)(&self.message, &mut run);
                Place::Done(run)
            }
        };
        self.queue.push_back(place);
    }

    /// The run that was given first; none if there is none, or if it is not done and `wait` is false.
    ///
    /// # Errors
    /// A thread has panicked: now and at every later call.
    pub(crate) fn take(&mut self, wait: bool) -> io::Result<Option<Run>> {
        let run = match self.queue.pop_front() {
            None => return Ok(None),
            Some(Place::Done(run)) => return Ok(Some(run)),
            Some(Place::Coming(run)) => run,
        };
        let received = if wait { run.recv().map_err(|_| TryRecvError::Disconnected) } else { run.try_recv() };
        if received.is_err() {
            self.queue.push_front(Place::Coming(run));
        }
        match received {
            Ok(run) => Ok(Some(run)),
            Err(TryRecvError::Empty) => Ok(None),
            Err(TryRecvError::Disconnected) => Err(io::Error::other("a thread has panicked")),
        }
    }

    /// Takes back a buffer that is no longer needed.
    pub(crate) fn recycle(&mut self, run: Run) {
        self.spare.push(run.bytes);
    }

    /// Drops all runs and ends the threads.
    pub(crate) fn stop(&mut self) {
        self.queue.clear();
        self.pool = None;
        self.passed = 0;
    }

    /// Stops, and goes on with chunk `number`, without threads at first.
    pub(crate) fn jump(&mut self, number: u64) {
        self.stop();
        self.number = number;
    }
}

/// Threads that take runs from one queue. They end when it is dropped.
struct Pool {
    jobs: Option<Sender<Job>>,
    workers: Vec<JoinHandle<()>>,
}

struct Job {
    run: Run,
    done: SyncSender<Run>,
}

impl Pool {
    /// `threads` of them, or as many as the system has; none if it has none.
    fn start(threads: usize, message: &Arc<Message>, work: Work) -> Option<Self> {
        let (jobs, queue) = mpsc::channel();
        let queue = Arc::new(Mutex::new(queue));
        let start = |_| {
            let (queue, message) = (queue.clone(), message.clone());
            thread::Builder::new().name("evariste chunks".into()).spawn(move || serve(&queue, &message, work)).ok()
        };
        let workers: Vec<_> = (0..threads).map_while(start).collect();
        (!workers.is_empty()).then_some(Self { jobs: Some(jobs), workers })
    }

    fn send(&self, run: Run) -> Place {
        let (done, coming) = mpsc::sync_channel(1);
        // Where nobody is left to take it, `done` is dropped, and whoever waits for it sees that.
        let _ = self.jobs.as_ref().map(|jobs| jobs.send(Job { run, done }));
        Place::Coming(coming)
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.jobs = None;
        self.workers.drain(..).for_each(|worker| _ = worker.join());
    }
}

fn serve(queue: &Mutex<Receiver<Job>>, message: &Message, work: Work) {
    loop {
        // One thread waits for a job, the others for the lock.
        let job = queue.lock().ok().and_then(|queue| queue.recv().ok());
        let Some(Job { mut run, done }) = job else { return };
        work(message, &mut run);
        // Nobody wants it after a jump.
        let _ = done.send(run);
    }
}
