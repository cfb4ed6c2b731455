//! Power fails after each write and each sync, and in the middle of writes.

use super::*;

/// A disk that keeps a record of what was done to it.
#[derive(Clone)]
struct Disk {
    bytes: Vec<u8>,
    done: Vec<Done>,
    /// Fails from this step on.
    fails_at: usize,
}

#[derive(Clone)]
enum Done {
    Write(usize, Vec<u8>),
    Sync,
}

impl Disk {
    fn new(header: &Header) -> Self {
        let bytes = [&header.as_bytes()[..], b"the chunks"].concat();
        Self { bytes, done: Vec::new(), fails_at: usize::MAX }
    }

    fn step(&mut self, done: Done) -> io::Result<()> {
        if self.done.len() >= self.fails_at {
            return Err(io::ErrorKind::StorageFull.into());
        }
        self.done.push(done);
        Ok(())
    }
}

impl Storage for Disk {
    fn read_start(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let n = bytes.len().min(self.bytes.len());
        bytes[..n].copy_from_slice(&self.bytes[..n]);
        Ok(n)
    }

    fn write_at(&mut self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        self.step(Done::Write(offset as usize, bytes.to_vec()))
    }

    fn sync(&mut self) -> io::Result<()> {
        self.step(Done::Sync)
    }
}

fn apply(disk: &mut [u8], at: usize, bytes: &[u8]) {
    disk[at..at + bytes.len()].copy_from_slice(bytes);
}

/// All that may be on the disk if power fails after any number of steps: what was synced is there, and of each later
/// write nothing, all, the beginning, the end, or any bytes of it.
fn crashes(before: &[u8], done: &[Done]) -> Vec<Vec<u8>> {
    let (mut images, mut durable, mut pending) = (Vec::new(), before.to_vec(), Vec::new());
    let mut scatter = 1u32;
    for step in done {
        match step {
            Done::Sync => {
                pending.drain(..).for_each(|(at, bytes): (usize, Vec<u8>)| apply(&mut durable, at, &bytes));
            }
            Done::Write(at, bytes) => pending.push((*at, bytes.clone())),
        }
        images.push(durable.clone());
        // One write at a time is on its way, so that any of them can fail alone.
        assert!(pending.len() <= 1);
        for (at, bytes) in &pending {
            for cut in 0..=bytes.len() {
                for (from, to) in [(0, cut), (cut, bytes.len())] {
                    let mut image = durable.clone();
                    apply(&mut image, at + from, &bytes[from..to]);
                    images.push(image);
                }
                let mut image = durable.clone();
                for (i, byte) in bytes.iter().enumerate() {
                    scatter = scatter.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                    if scatter >> 31 == 0 {
                        image[at + i] = *byte;
                    }
                }
                images.push(image);
            }
        }
    }
    images
}

fn header_of(image: &[u8]) -> Header {
    assert_eq!(image[HEADER_LEN..], *b"the chunks");
    Header::read(&mut &image[..]).unwrap()
}

fn is_open(header: &Header, secret: Secret<'_>, key: &DataKey) -> bool {
    match header.unlock(secret) {
        Ok((found, _)) => {
            assert_eq!(found.as_bytes(), key.as_bytes());
            true
        }
        // A slot that was written in part is empty, not damaged.
        Err(error) => {
            assert!(matches!(error, HeaderError::WrongKeyFile | HeaderError::NoPassphrase), "{error:?}");
            false
        }
    }
}

const NEW: Secret<'_> = Secret::KeyFile(&[9; 16]);

/// `change` is done to a disk with `header`, and `holds` of everything that a crash may leave, of which it says which
/// secrets (a passphrase, a key file, the new key file) open it.
fn each_crash(
    (header, key): (Header, DataKey),
    change: impl Fn(&mut HeaderFile<Disk>, &DataKey) -> io::Result<()>,
    holds: impl Fn([bool; 3]) -> bool,
    end: [bool; 3],
) {
    let open = |image: &[u8]| {
        let header = header_of(image);
        [PASSPHRASE, KEY_FILE, NEW].map(|secret| is_open(&header, secret, &key))
    };
    let disk = Disk::new(&header);
    let before = disk.bytes.clone();
    let mut file = HeaderFile::open(disk).unwrap();
    change(&mut file, &key).unwrap();
    assert!(matches!(file.storage.done.last(), Some(Done::Sync)));
    let (done, mut after) = (file.storage.done.clone(), before.clone());
    for image in crashes(&before, &done) {
        assert!(holds(open(&image)), "{:?}", open(&image));
        // And it can be done again, or is done.
        let disk = Disk { bytes: image, done: Vec::new(), fails_at: usize::MAX };
        let repeated = change(&mut HeaderFile::open(disk).unwrap(), &key);
        assert!(repeated.is_ok() || repeated.unwrap_err().downcast::<HeaderError>().is_ok());
    }
    for step in &done {
        if let Done::Write(at, bytes) = step {
            apply(&mut after, *at, bytes);
        }
    }
    assert_eq!(open(&after), end);
    // In memory as on the disk, with nothing left where a slot was.
    assert_eq!(file.header().as_bytes()[..], after[..HEADER_LEN]);
    assert!(
        file.header()
            .slots()
            .iter()
            .enumerate()
            .all(|(n, slot)| *slot != Slot::Empty || is_zero(header_slot(&after, n)))
    );
    // A disk that fails at any step leaves what a crash leaves.
    for fails_at in 0..done.len() {
        let mut file = HeaderFile::open(Disk { fails_at, ..Disk::new(&header) }).unwrap();
        let error = change(&mut file, &key).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::StorageFull);
        assert_eq!(file.storage.done.len(), fails_at);
    }
}

fn header_slot(image: &[u8], place: usize) -> &[u8] {
    &image[SECTOR * (1 + place)..][..SECTOR]
}

#[test]
fn adding() {
    let change = |file: &mut HeaderFile<Disk>, key: &DataKey| file.add(key, NEW, cheap()).map(drop);
    each_crash(both(), change, |[a, b, _]| a && b, [true, true, true]);
}

#[test]
fn removing() {
    let change = |file: &mut HeaderFile<Disk>, _: &DataKey| file.remove(1);
    each_crash(both(), change, |[a, _, c]| a && !c, [true, false, false]);
}

#[test]
fn replacing() {
    let change = |file: &mut HeaderFile<Disk>, key: &DataKey| file.replace(1, key, NEW, cheap()).map(drop);
    each_crash(both(), change, |[a, b, c]| a && (b || c), [true, false, true]);
}

#[test]
fn replacing_the_only_one() {
    let (mut header, key) = both();
    header.remove(0).unwrap();
    let change = |file: &mut HeaderFile<Disk>, key: &DataKey| file.replace(1, key, NEW, cheap()).map(drop);
    each_crash((header, key), change, |[_, b, c]| b || c, [false, false, true]);
}

#[test]
fn replacing_one_of_six() {
    let (mut header, key) = both();
    for n in 0..4 {
        header.add(&key, Secret::KeyFile(&[n; 32]), cheap()).unwrap();
    }
    let change = |file: &mut HeaderFile<Disk>, key: &DataKey| file.replace(1, key, NEW, cheap()).map(drop);
    each_crash((header, key), change, |[a, b, c]| a && (b || c), [true, false, true]);
}

#[test]
fn what_a_crash_left_is_wiped() {
    let (mut header, key) = both();
    let mut left = *header.slot(1);
    left[0] = 0;
    header.put(4, &left);
    let change = |file: &mut HeaderFile<Disk>, key: &DataKey| file.add(key, NEW, cheap()).map(drop);
    each_crash((header, key), change, |[a, b, _]| a && b, [true, true, true]);
}

#[test]
fn a_refusal_writes_nothing() {
    let (header, key) = both();
    let mut file = HeaderFile::open(Disk::new(&header)).unwrap();
    let (_, other) = both();
    assert!(file.add(&other, NEW, cheap()).is_err());
    assert!(file.replace(5, &key, NEW, cheap()).is_err());
    assert!(file.replace(9, &key, NEW, cheap()).is_err());
    assert!(file.remove(5).is_err());
    assert!(file.add(&key, Secret::KeyFile(&[1; 3]), cheap()).is_err());
    assert!(file.storage.done.is_empty());
    file.remove(0).unwrap();
    let steps = file.storage.done.len();
    assert!(file.remove(1).is_err());
    assert_eq!(file.storage.done.len(), steps);
}
