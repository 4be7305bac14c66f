/**
 * A real Dovecot for tests, on loopback: each connection gets an IMAP process of its own that is logged in already, over one Maildir. So it
 * needs no root, no fixed port and no system user. Uses Debian's own packages, unpacked beside node_modules without installing anything.
 */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chown, mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { diesWithUs } from '../processes.js';
import { unpack } from '../redis-server.js';

const cache = fileURLToPath(new URL(`../../../node_modules/.cache/askback-dovecot/${process.arch}`, import.meta.url));
/** Dovecot refuses to open mails as root: then it runs as the user nobody. */
const isRoot = process.getuid?.() === 0;
const [uid, gid] = isRoot ? [65_534, 65_534] : [process.getuid?.() ?? 0, process.getgid?.() ?? 0];

export interface Dovecot {
  readonly port: number;
  /** Puts a mail into INBOX as a mail server does. */
  deliver(raw: string): Promise<void>;
  /** How many mails in INBOX have a keyword. Only one keyword is ever made. */
  marked(): Promise<number>;
  stop(): Promise<void>;
}

export async function startDovecot(): Promise<Dovecot> {
  if (!existsSync(cache)) await unpack(cache, ['dovecot-core', 'dovecot-imapd']);
  const dir = await mkdtemp(join(tmpdir(), 'askback-dovecot-'));
  const mail = join(dir, 'Mail');
  const folders = [mail, ...['cur', 'new', 'tmp'].map((name) => join(mail, name))];
  for (const folder of folders) await mkdir(folder);
  for (const folder of [dir, ...folders]) await chown(folder, uid, gid);
  const library = join(cache, 'usr/lib/dovecot');
  const config = join(dir, 'dovecot.conf');
  await writeFile(
    config,
    `base_dir = ${dir}
state_dir = ${dir}
protocols = imap
ssl = no
default_login_user = nobody
default_internal_user = nobody
default_internal_group = nogroup
mail_location = maildir:${mail}
mail_plugin_dir = ${library}/modules
mail_uid = ${uid}
mail_gid = ${gid}
first_valid_uid = 0
first_valid_gid = 0
namespace inbox {
  inbox = yes
}
`,
  );
  const env = { LD_LIBRARY_PATH: `${library}:${library}/modules`, HOME: dir, USER: 'testuser' };
  // dovecot(1) would look for doveconf in /usr/bin; doveconf itself starts what it is told to, with the settings.
  const args = ['-c', config, '-m', 'imap', '-f', 'service=imap', '-p', '-e', join(library, 'imap'), '-c', config];
  const sockets = new Set<Socket>();
  const exits: Promise<void>[] = [];
  const server = createServer((socket) => {
    const child = spawn(join(cache, 'usr/bin/doveconf'), args, {
      env,
      stdio: ['pipe', 'pipe', 'ignore'],
      ...(isRoot ? { uid, gid } : {}),
    });
    diesWithUs(child);
    exits.push(new Promise((resolve) => child.once('exit', () => resolve())));
    sockets.add(socket);
    socket.on('error', () => {});
    child.stdin.on('error', () => {});
    socket.on('close', () => {
      sockets.delete(socket);
      child.kill('SIGKILL');
    });
    child.once('exit', () => socket.end());
    socket.pipe(child.stdin);
    child.stdout.pipe(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  let mails = 0;
  return {
    port: (server.address() as AddressInfo).port,
    deliver: async (raw) => {
      mails += 1;
      const name = `${1_700_000_000 + mails}.M${mails}P${process.pid}.test`;
      await writeFile(join(mail, 'tmp', name), raw);
      await rename(join(mail, 'tmp', name), join(mail, 'new', name));
    },
    marked: async () => (await readdir(join(mail, 'cur'))).filter((name) => /:2,[A-Z]*a/.test(name)).length,
    stop: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const socket of sockets) socket.destroy();
      await Promise.all([closed, ...exits]);
      await rm(dir, { recursive: true, force: true });
    },
  };
}
