import { Command } from 'commander'
import { z } from 'zod'
import { readOption } from '../../shared/cli/read-option.ts'
import { runProgram } from '../../shared/cli/run-program.ts'
import { report } from '../ranking-data/report.ts'
import { buildClassifier } from './train/build-classifier.ts'

const Share = z.coerce.number('must be a number').min(0.0001, 'must be .0001 or more').max(0.1, 'must be .1 or less')

const program = new Command('build-classifier')
  .description('Learns to tell instructions to agents from documentation, and writes classifier.json and classifier.bin.')
  .argument('<folder>', 'checkouts of the sources, named owner+repository')
  .requiredOption('--held-out <folder>', 'attacks (YAML) that training must not see, also not in similar words')
  .requiredOption('--out <folder>', 'where the files are written')
  .option('--false-alarms <share>', 'share of the sections of unseen documentation that may be taken for instructions', '0.0025')
  .action((folder: string, options: { heldOut: string; out: string; falseAlarms: string }) =>
    buildClassifier(
      {
        folder,
        heldOut: options.heldOut,
        out: options.out,
        falseAlarms: readOption('--false-alarms', Share, options.falseAlarms),
      },
      report,
    ),
  )

await runProgram(() => program)
