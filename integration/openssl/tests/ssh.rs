//! OpenSSH: 100 MB through sshd and ssh, each way.

use anyhow::{Context, Result, ensure};
use evariste_openssl_tests::{Installed, Process, With, digest, digest_of, free_port, output, text};
use std::fs::{self, File};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};

const MUCH: usize = 100_000_000;

const CIPHERS: [(&str, &str); 2] =
    [("aes256-gcm@openssh.com", "AES-256-GCM"), ("aes128-gcm@openssh.com", "AES-128-GCM")];

/// A server on this machine only, for who runs this only, with keys of its own.
fn sshd(installed: &Installed, with: With) -> Result<(Process, u16)> {
    let port = free_port()?;
    let directory = installed.path().display();
    let config = format!(
        "Port {port}\nListenAddress 127.0.0.1\nHostKey {directory}/host\nPidFile none\nUsePAM no\nStrictModes no\n\
         AuthorizedKeysFile {directory}/user.pub\nPasswordAuthentication no\nKbdInteractiveAuthentication no\n"
    );
    let name = installed.file(&format!("sshd-{port}"));
    fs::write(&name, config)?;
    // It wants to be started by its full name. -E: what it says goes to a file.
    let mut command = Command::new("/usr/sbin/sshd");
    installed.start(&mut command, with, &format!("sshd-{with:?}"));
    command.arg("-D").arg("-f").arg(name).arg("-E").arg(installed.file(&format!("log-{port}")));
    let mut server = Process::spawn(command.stdin(Stdio::null()))?;
    server.listens("tcp", port)?;
    Ok((server, port))
}

/// `ssh ... COMMAND`.
fn ssh(installed: &Installed, with: With, counts: &str, port: u16, cipher: &str, command: &str) -> Command {
    let mut ssh = Command::new("ssh");
    installed.start(&mut ssh, with, counts);
    ssh.args(["-F", "none", "-i", "user", "-o", "IdentitiesOnly=yes", "-o", "BatchMode=yes", "-o", "LogLevel=ERROR"]);
    ssh.args(["-o", "StrictHostKeyChecking=no", "-o", "UserKnownHostsFile=known", "-c", cipher]);
    ssh.args(["-p", &port.to_string(), "127.0.0.1", command]);
    ssh
}

fn exchange(installed: &Installed, port: u16, with: With, counts: &str, cipher: &str) -> Result<()> {
    let file = installed.file("file");
    let digest = digest(&fs::read(&file)?);
    let hex: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    let mut upload = ssh(installed, with, counts, port, cipher, "sha256sum");
    let mut upload = Process::spawn(upload.stdin(File::open(&file)?).stdout(Stdio::piped()))?;
    let said = std::io::read_to_string(upload.stdout()?)?;
    ensure!(upload.wait()?.success() && said.starts_with(&hex), "another text came to the server: {said}");
    let mut download = ssh(installed, with, counts, port, cipher, &format!("cat {}", file.display()));
    let mut download = Process::spawn(download.stdin(Stdio::null()).stdout(Stdio::piped()))?;
    let got = digest_of(download.stdout()?)?;
    ensure!(download.wait()?.success() && got == (MUCH, digest), "another text came to the client");
    Ok(())
}

#[test]
fn streams() -> Result<()> {
    let installed = Installed::new()?;
    for name in ["host", "user"] {
        output(Command::new("ssh-keygen").args(["-q", "-t", "ed25519", "-N", "", "-f"]).arg(installed.file(name)))?;
    }
    if output(Command::new("id").arg("-u"))?.stdout == b"0\n" && !Path::new("/run/sshd").exists() {
        // What its service would make.
        fs::create_dir_all("/run/sshd")?;
        fs::set_permissions("/run/sshd", fs::Permissions::from_mode(0o755))?;
    }
    fs::write(installed.file("file"), text(MUCH, 9))?;
    for (server_with, client_with) in [(With::Ours, With::Stock), (With::Stock, With::Ours), (With::Ours, With::Ours)] {
        let (_server, port) = sshd(&installed, server_with)?;
        let of_server = format!("sshd-{server_with:?}");
        for (name, cipher) in CIPHERS {
            let what = || format!("{name}: server {server_with:?}, client {client_with:?}");
            let counts = format!("{server_with:?}-{cipher}");
            let before = installed.counts(&of_server)?;
            exchange(&installed, port, client_with, &counts, name).with_context(what)?;
            let (server, client) = (installed.counts(&of_server)?.since(&before), installed.counts(&counts)?);
            for (with, counts) in [(server_with, server), (client_with, client)] {
                match with {
                    With::Ours => {
                        counts.encrypted(cipher, MUCH).with_context(what)?;
                        counts.decrypted(cipher, MUCH).with_context(what)?;
                    }
                    With::Stock => counts.nothing().with_context(what)?,
                }
            }
        }
    }
    Ok(())
}
