// node validate.mjs FILE.glb...: the Khronos validator finds no errors and no warnings.
import { readFileSync } from 'node:fs';
import validator from 'gltf-validator';

for (const path of process.argv.slice(2)) {
  const report = await validator.validateBytes(new Uint8Array(readFileSync(path)), { maxIssues: 0 });
  const { numErrors, numWarnings, messages } = report.issues;
  const kinds = [...new Set(messages.map((message) => message.code))].join(', ') || 'none';
  console.log(`${path}: gltf-validator ${validator.version()}: ${numErrors} errors, ${numWarnings} warnings; notes: ${kinds}`);
  for (const message of messages.filter(({ severity }) => severity < 2).slice(0, 10)) {
    console.error(`  ${message.code} ${message.pointer}: ${message.message}`);
  }
  if (numErrors + numWarnings > 0) process.exitCode = 1;
}
