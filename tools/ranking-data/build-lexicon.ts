import { Command } from 'commander'
import { runProgram } from '../../shared/cli/run-program.ts'
import { buildLexicon, type LexiconOptions } from './lexicon/build-lexicon.ts'
import { collect, report } from './report.ts'

const program = new Command('build-lexicon')
  .description('Writes the lexicon for questions that are not in English, from translated documentation.')
  .option('--catalogues <language=folder>', 'gettext catalogues of a language; repeatable', collect, [])
  .option('--manual <language=english,folder>', 'parallel folders of a DocBook manual; repeatable', collect, [])
  .requiredOption('--vocabulary <file>', 'model.json of the word vectors: translations are among its words')
  .option('--extend <file>', 'an existing lexicon whose other languages are kept')
  .requiredOption('--out <file>', 'the lexicon to write')
  .action((options: LexiconOptions) => buildLexicon(options, report))

await runProgram(() => program)
