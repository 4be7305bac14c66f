/** The error of an optional package that is not installed: what needs which package, and the line that installs it. */
import { expect, test } from 'vitest';
import { imported, missingPackages, type OptionalPackage } from '../../../src/core/optional-package.js';

const parrot: OptionalPackage = { name: '@zoo/parrot', users: ['ZooChannel'], purpose: 'to speak' };
const owl: OptionalPackage = { name: 'owl', users: ['watch()', 'sleep()'], install: ['owl', 'mouse'] };

const fails = (message: string) => () => Promise.reject(new Error(message));

test('one package', async () => {
  await expect(imported(parrot, fails('no such file'))).rejects.toMatchObject({
    code: 'missing-package',
    message:
      'ZooChannel needs the package @zoo/parrot (to speak), which could not be loaded. Install it:\n  npm install @zoo/parrot',
    details: { packages: ['@zoo/parrot'] },
    cause: { message: 'no such file' },
  });
});

test('a package that is there without one that it needs: the absent one is named, and all are installed', async () => {
  await expect(imported(owl, fails("Cannot find module 'mouse'\nRequire stack: …"), 'sleep()')).rejects.toMatchObject({
    message:
      'sleep() needs the package mouse, which could not be loaded. Install what it needs:\n  npm install owl mouse',
    details: { packages: ['owl'] },
  });
});

test('several packages at once', () => {
  expect(missingPackages([parrot, owl], undefined).message).toBe(
    'ZooChannel needs the packages @zoo/parrot (to speak), owl, which could not be loaded. Install what it needs:\n  npm install @zoo/parrot owl mouse',
  );
});
