import type { Allowed } from './judge-expressions.ts'

/** Expressions that take more than linear time, or cannot be checked, and why they do no harm. */
export const allowedExpressions: Allowed[] = [
  {
    files: 'shared/web/help/find-sections.ts',
    reason: 'It reads the documentation of this version.',
    expressions: ['/<!--[^>]*-->/g', '/!?\\[([^\\]]*)\\]\\([^)]*\\)/g'],
  },
  {
    files: 'shared/cli/run-program.ts',
    reason: 'It reads messages about the words of the command line itself.',
    expressions: ['/\\s*\\n\\s*/g'],
  },
  {
    files: 'shared/reading/asciidoc/read-include-code.ts',
    reason: 'Documents are read in a thread with a time limit.',
    expressions: ['/(?:^|\\/)pages\\/(.+)\\.\\w+$/'],
  },
  {
    files: 'shared/reading/asciidoc/find-asciidoc-includes.ts',
    reason: 'Documents are read in a thread with a time limit.',
    expressions: [
      '/^include::([^\\n[{]{1,500})\\[/gm',
      '/^([\\w.@:-]{0,200}:)?(?:(page|partial|example|attachment|image)\\$)?(.+)$/',
    ],
  },
  {
    files: 'shared/reading/asciidoc/select-lines.ts',
    reason: 'Documents are read in a thread with a time limit.',
    expressions: ['/(?:^|\\W)(tag|end)::([^\\s[\\]]{1,200})\\[\\]/'],
  },
  {
    files: 'shared/reading/asciidoc/inline-converter.ts',
    reason: 'Documents are read in a thread with a time limit.',
    expressions: [
      '/\\b(?:javadoc|configprop|apiref|github|issue|jira|commit|pull|user):([^\\s[\\]]{1,300})\\[([^\\]\\n]{0,500})\\]/g',
      '/\\{[\\w-]{1,100}\\}[^\\s[\\]{}]{0,300}\\[([^\\]\\n]{1,500})\\]/g',
    ],
  },
  {
    files: 'shared/reading/git/git-failure.ts',
    reason: 'The text is a constant: alternatives without repetition.',
    expressions: [
      "new RegExp(\n  [\n    'Could not resolve',\n    'Failed to connect',\n    '[Cc]onnection (refused|reset|timed out|died)',\n    'Recv failure',\n    'early EOF',\n    'unexpected disconnect',\n    'hung up',\n    'RPC failed',\n    'Operation too slow',\n    'handshake',\n  ].join('|'),\n)",
    ],
  },
  {
    files: 'shared/reading/git/expand-address.ts',
    reason: 'The path is a constant, and the parts before it cannot match the same text.',
    expressions: ['new RegExp(`^[A-Za-z0-9][A-Za-z0-9_-]*/[^/:@]+(?:/?$|/${treePath}/)`)'],
  },
  {
    files: 'shared/reading/html/reader.ts',
    reason: 'Documents are read in a thread with a time limit.',
    expressions: ['/<!doctype[^>]{0,1000}>/gi'],
  },
  {
    files: 'shared/reading/markdown/directives/container-marker.ts',
    reason: 'A marker has at most 1,000 characters.',
    expressions: [
      '/^\\/{3,}[ \\t]*([A-Za-z][\\w-]*)[ \\t]*(?:\\|[ \\t]*(.*))?$/',
      '/^(?:!!!|\\?\\?\\?\\+?)[ \\t]+([\\w-]+)?(?:[ \\t]+[\\w-]+)*[ \\t]*(?:"(.*)")?$/',
      '/\\{[^}]*\\}/g',
    ],
  },
  {
    files: 'shared/reading/markdown/fence-info.ts',
    reason: 'The words behind a fence have at most 2,000 characters.',
    expressions: [
      '/\\[\\[.*\\]\\]/s',
      '/\\[([^\\]]+)\\]/',
      '/[\\w-]+=(?:"[^"]*"|\'[^\']*\'|\\{[^}]*\\}|\\S+)|\\{[^}]*\\}|\\/[^/]*\\//g',
    ],
  },
  {
    files: 'shared/reading/markdown/shortcodes/pair-shortcodes.ts',
    reason: 'Put together of the name of a tag; its repetitions are bounded.',
    expressions: ["new RegExp(pattern, 'gi')"],
  },
  {
    files: 'shared/reading/markdown/write-html.ts',
    reason: 'Put together of a tag name; one bounded repetition. Documents are read in a thread with a time limit.',
    expressions: ["new RegExp(`</${name}\\\\s{0,20}>`, 'gi')"],
  },
  {
    files: 'shared/reading/markdown/syntax/include-directive.ts',
    reason: 'A directive has at most 600 characters.',
    expressions: [
      '/^\\{!>?[ \\t]*([^\\s!{}[\\]]+)[ \\t]*(?:\\[ln:([\\d:,-]+)\\])?(?:!?[ \\t]*lines=([\\d-]+))?[^!{}]*!\\}$/',
      '/^\\{\\*[ \\t]+([^\\s{}]+)([^*{}]*)\\*\\}$/',
      '/^\\{\\{[ \\t]*#(?:include|rustdoc_include|playground|playpen)[ \\t]+([^\\s{}]+)[^{}]*\\}\\}$/',
      '/^<<<[ \\t]*([^\\s#{[]+)(?:#([\\w.-]+))?[ \\t]*(?:\\{[^{}]*\\})?[ \\t]*(?:\\[([^\\][]+)\\])?$/',
    ],
  },
  {
    files: 'shared/reading/markdown/syntax/clean-inline.ts',
    reason: 'A heading is cut before it is read.',
    expressions: ['/(`+[^`]+`+)/', '/^`+ ?| ?`+$/g', '/(?<![\\w\\\\])_{1,3}([^_]*[^_\\w][^_]*|[^_\\W]+)_{1,3}(?!\\w)/g'],
  },
  {
    files: 'shared/reading/markdown/expand-imports.ts',
    reason: 'Put together of an identifier. Documents are read in a thread with a time limit.',
    expressions: ["new RegExp(`^export\\\\s+(?:const|function)\\\\s+${name.replaceAll('$', '\\\\$')}\\\\b`, 'm')"],
  },
  {
    files: 'shared/reading/markdown/expand-imports.ts',
    reason: 'Documents are read in a thread with a time limit.',
    expressions: [
      '/^import\\s+(?:([A-Za-z_$][\\w$]*)\\s*,?\\s*)?(?:\\{([^{}]*)\\}\\s*)?from\\s+["\']([^"\']+)["\'];?\\s*$/',
      '/\\s+as\\s+/',
      '/^import\\s.*from\\s+["\'].*["\'];?\\s*$/',
    ],
  },
  {
    files: 'shared/reading/markdown/looks-like-mdx.ts',
    reason: 'Documents are read in a thread with a time limit.',
    expressions: ['/^import\\s+(?:\\{|[\\w$*,\\s]+\\{)[^}]*$/'],
  },
  {
    files: 'shared/reading/rst/rst-inline.ts',
    reason: 'Each repetition is bounded to 80 characters. Documents are read in a thread with a time limit.',
    expressions: ['/:([a-z][\\w.+:-]{0,60}):$/i', '/\\[([^\\]\\n]{1,80})\\]_(?!\\w)/g'],
  },
  {
    files: 'shared/search/words/analyse.ts',
    reason: 'The repetition is bounded to 200 characters.',
    expressions: ['/<\\/?[a-zA-Z][^>\\n]{0,200}>/g'],
  },
  {
    files: 'shared/search/libraries/read-address.ts',
    reason: 'A question has at most 500 characters.',
    expressions: ['/\\/-\\/.*$/'],
  },
  {
    files: 'shared/reading/markdown/directives/directive.ts',
    reason: 'An opening line has at most 1,000 characters.',
    expressions: ['/^([ \\t]*)(`{3,}|~{3,}|:{3,})[ \\t]*\\{([A-Za-z][\\w:+-]{0,60})\\}[ \\t]*([^`]*)$/'],
  },
  {
    files: 'shared/reading/markdown/lines/rewrite-tabsets.ts',
    reason: 'A line has at most 1,000 characters.',
    expressions: ['/^:{3,}[ \\t]*\\{[^{}]*\\.(?:panel-)?tabset\\b[^{}]*\\}/', '/^(#{1,6})[ \\t]+(.*?)(?:[ \\t]*\\{[^{}]*\\})?$/'],
  },
  {
    files: 'shared/reading/markdown/exported-values.ts',
    reason: 'An object has at most 20,000 characters, and each repetition is bounded or ends with a quote.',
    expressions: [
      '/(?:^|[,{\\n])\\s{0,200}(?:([\\w$]+)|["\']([^"\'\\n]{1,100})["\'])\\s{0,20}:\\s{0,20}(?:(["\'`])((?:(?!\\3)[^\\\\\\n])*)\\3|(-?\\d[\\d.]*))(?=\\s*[,}])/g',
    ],
  },
  {
    files: 'shared/reading/openapi/parse-source.ts',
    reason: 'The text is valid JSON, in which every string ends.',
    expressions: ['/"[^"\\\\]*(?:\\\\.[^"\\\\]*)*"|[{}[\\],:\\n]/gs'],
  },
  {
    files: 'shared/reading/peek-title.ts',
    reason: 'The beginning of a page has at most 4,000 characters.',
    expressions: ['/^(\\S[^\\n]{0,200})\\n[=~#*-]{3,}[ \\t]{0,9}$/m'],
  },
  {
    files: 'shared/reading/markdown/lines/html-table.ts',
    reason: 'Put together of `row` or `col`; each repetition is bounded.',
    expressions: ["new RegExp(`\\\\b${kind}span\\\\s{0,5}=\\\\s{0,5}[{\"']{0,2}\\\\s{0,3}(\\\\d{1,4})`, 'i')"],
  },
  {
    files: 'shared/screening/commands.ts',
    reason: 'A line has at most 2,000 characters.',
    expressions: [
      '/\\.ssh\\b|\\.aws\\b|\\b(?:env|printenv)\\s*\\||\\$\\((?:env|printenv|cat|base64)\\b|\\/etc\\/(?:passwd|shadow)|@?\\.env\\b|\\.npmrc|\\.netrc/i',
      '/\\|\\s*(?:sudo\\s+(?:-\\S+\\s+)*)?(?:ba|z|da|k|fi)?sh\\b|\\|\\s*(?:sudo\\s+)?(?:python3?|node|perl|ruby|php|iex|invoke-expression|source)\\b|\\b(?:iex|eval|source)\\s*[("\'$ ]|\\b(?:ba|z)?sh\\s+(?:-c\\s+["\']?\\$\\(|<\\()|\\b(?:python3?|node|perl|ruby)\\s+(?:-c|-e)\\s+["\']?\\$\\(|<\\(\\s*(?:curl|wget)/i',
      '/\\bbase64\\s+(?:-d|-D|--decode)\\b|\\bxxd\\s+-r|\\bopenssl\\s+(?:enc|base64)\\s+-d|frombase64string/i',
      '/\\bcurl\\b[^\\n]*?\\s(?:-d|-F|-T|--data(?:-\\w+)?|--form|--upload-file|-X\\s*POST)\\b|\\bnc\\b\\s|\\bwget\\b[^\\n]*--post|\\bcurl\\b[^\\n]*\\?[^\\s]*\\$\\(/i',
    ],
  },
  {
    files: 'shared/screening/decoded.ts',
    reason: 'Its parts are bounded, and a run that it reads is a match or shorter than 60 characters.',
    expressions: [
      '/(?:\\\\x|0x|%)?[0-9a-f]{2}(?:[\\s,:]{0,2}(?:\\\\x|0x|%)?[0-9a-f]{2}){11,}/gi',
      '/(?:\\b\\d{2,3}[\\s,]{1,2}){12,}\\d{2,3}\\b/g',
      '/(?:[01]{8}\\s?){8,}/g',
      '/\\w{0,20}(?:%[0-9a-f]{2}[\\w.-]{0,20}){5,}/gi',
    ],
  },
  {
    files: 'shared/screening/hidden-text.ts',
    reason: 'Attributes have at most 1,000 characters and strings at most 4,000, and each starts at a sign of its own.',
    expressions: [
      '/\\b(alt|title|content|aria-label|aria-description|data-[a-z-]{1,40}|placeholder|summary)\\s*=\\s*(?:"([^"]{30,2000})"|\'([^\']{30,2000})\')/gi',
      '/display\\s*:\\s*[\'"]?none|visibility\\s*:\\s*[\'"]?(?:hidden|collapse)|font-?size\\s*:\\s*[\'"]?0(?:\\.\\d+)?(?:px|pt|em|rem|%)?\\s*(?:[;\'"}!,]|$)|font-?size\\s*:\\s*[\'"]?1px|opacity\\s*:\\s*[\'"]?0(?:\\.0\\d*)?\\s*(?:[;\'"}!,]|$)|(?:left|top|text-?indent)\\s*:\\s*[\'"]?-\\d{3,}|(?:max-?)?(?:height|width)\\s*:\\s*[\'"]?0(?:px)?\\s*(?:[;\'"}!,]|$)|clip\\s*:\\s*rect\\(\\s*0|clip-path\\s*:\\s*inset\\(\\s*(?:50|100)%|(?:^|[\\s;"\'{])color\\s*:\\s*[\'"]?(?:#f{3,8}\\b|white|transparent|rgba?\\(\\s*255\\s*,\\s*255\\s*,\\s*255|rgba\\([^)]*,\\s*0\\s*\\))|(?:^|\\s)hidden(?:\\s|=|$)|aria-hidden\\s*=\\s*["\']?true|class(?:name)?\\s*=\\s*["\'][^"\']*\\b(?:hidden|invisible|sr-only|visually-hidden|d-none|opacity-0|text-white|text-transparent|text-\\[0px\\])\\b/i',
      '/"((?:[^"\\\\\\n]|\\\\.){30,4000})"/g',
    ],
  },
  {
    files: 'shared/screening/links.ts',
    reason: 'A target has at most 2,000 characters, and each repetition is bounded.',
    expressions: [
      '/^\\s{0,3}\\[([^\\]\\n]{1,200})\\]:\\s*<?([^\\s>]{1,2000})/gm',
      '/<(a|img|iframe|source)\\s[^<>]{0,500}?(?:href|src|srcset)\\s*=\\s*["\']?([^"\'\\s>]{1,2000})(?=["\'\\s>])[^<>]{0,500}>([^<]{0,200})/gi',
      '/(?:link:)?(https?:\\/\\/[^\\s[\\]]{1,2000})\\[([^[\\]\\n]{1,300})\\]/g',
      '/[?&#][^=\\s]{0,40}=[^&\\s]{0,80}?(?:\\{\\{?|%7b|\\[|%5b|<|%3c|\\$\\{?)[a-z _-]{0,40}(?:data|secret|history|conversation|chat|prompt|context|token|key|password|content|summary|base64|email|user|env|code|message|text|output|result|response|answer|info)/i',
    ],
  },
  {
    files: 'shared/screening/instructions.ts',
    reason: 'Each repetition is bounded.',
    expressions: [
      '/\\bignorier\\w{0,3}\\b[^.\\n]{0,20}\\b(?:vorherigen|bisherigen|vorigen|obigen|früheren)\\b[^.\\n]{0,12}\\b(?:anweisungen|instruktionen|befehle)/iu',
    ],
  },
  {
    files: 'shared/screening/secrets.ts',
    reason: 'Each repetition is bounded.',
    expressions: [
      '/(hooks\\.slack\\.com\\/services\\/)(T\\w{8,12}\\/B\\w{8,12}\\/\\w{24})\\b/g',
      '/\\b(sk-(?:proj-|svcacct-|admin-)?)([\\w-]{20,100}T3BlbkFJ[\\w-]{20,100})/g',
    ],
  },
]
