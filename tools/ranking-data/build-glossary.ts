import { Command } from 'commander'
import { runProgram } from '../../shared/cli/run-program.ts'
import { buildGlossary, type GlossaryOptions } from './glossary/build-glossary.ts'
import { collect, report } from './report.ts'

const program = new Command('build-glossary')
  .description('Writes the glossary for questions that are not in English, from translated documentation.')
  .option('--catalogues <language=folder>', 'gettext catalogues of a language; repeatable', collect, [])
  .option('--manual <language=english,folder>', 'parallel folders of a DocBook manual; repeatable', collect, [])
  .requiredOption('--vocabulary <file>', 'model.json of the word vectors: translations are among its words')
  .option('--extend <file>', 'an existing glossary whose other languages are kept')
  .requiredOption('--out <file>', 'the glossary to write')
  .action((options: GlossaryOptions) => buildGlossary(options, report))

await runProgram(program)
