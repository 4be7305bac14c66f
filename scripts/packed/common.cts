/** CommonJS: require() of the package, typed and run. */
import askback = require('askback');
import sqlite = require('askback/stores/sqlite');

const desk: askback.PlainAgent = askback.agent('desk').onMessage(() => 'Hello.');
if (typeof sqlite.SqliteStore !== 'function' || desk === undefined) throw new Error('require() gives no library');
console.log('require() works');
