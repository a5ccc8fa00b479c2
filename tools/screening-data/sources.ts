/** Texts of a repository: string values of JSON and YAML under `keys`, literals of source code that follow `after`, or whole pages. */
export type TextFiles =
  | { files: RegExp; as: 'values'; keys: string[]; where?: Record<string, unknown>; below?: string }
  | { files: RegExp; as: 'literals'; after: RegExp }
  | { files: RegExp; as: 'pages' }

export type Source = {
  repo: string
  commit: string
  license: string
  holder: string
  /** The weight of an attack, 1 if absent: texts of chats are not those of pages. */
  share?: number
  /** Texts that attack agents. */
  attacks?: TextFiles[]
  /** Goals of attacks, which become attacks in a frame of ours. */
  goals?: TextFiles[]
  /** Short texts that are none although they look like it. */
  ordinary?: TextFiles[]
  /** Folders and files of documentation, which is read as the server reads it. */
  documents?: RegExp
  /** Documentation that is left out of training, to choose the threshold. */
  validation?: true
}

export const sources: Source[] = [
  {
    repo: 'cpyang/agent-threat-rules',
    share: 0.4,
    commit: '73c0e4a2256ade5ab32caa72f0dacb7a6b001b7b',
    license: 'MIT',
    holder: 'ATR Contributors',
    attacks: [
      { files: /^rules\/.*\.ya?ml$/, as: 'values', keys: ['input'], below: 'true_positives' },
      { files: /^data\/autoresearch\/(?:adversarial-samples|missed-payloads)\.json$/, as: 'values', keys: ['payload'] },
      { files: /^data\/pint-benchmark\/pint-corpus\.json$/, as: 'values', keys: ['text'], where: { label: true } },
    ],
    ordinary: [
      { files: /^rules\/.*\.ya?ml$/, as: 'values', keys: ['input'], below: 'true_negatives' },
      { files: /^data\/pint-benchmark\/pint-corpus\.json$/, as: 'values', keys: ['text'], where: { label: false } },
    ],
  },
  {
    repo: 'meta-llama/PurpleLlama',
    share: 0.1,
    commit: '4be64c3a24442b51c76175e6ec67722cc3f5fe38',
    license: 'MIT',
    holder: 'Meta Platforms, Inc. and affiliates',
    attacks: [{ files: /prompt_injection\.json$/, as: 'values', keys: ['user_input'] }],
  },
  {
    repo: 'aisa-group/skill-inject',
    commit: '182f3d9d9836e81cdae213e9b9cec1d9be96eea3',
    license: 'MIT',
    holder: 'The authors of SKILL-INJECT',
    attacks: [{ files: /^data\/\w+_injections\w*\.json$/, as: 'values', keys: ['description_injection', 'line_injection'] }],
  },
  {
    repo: 'sequrity-ai/agentdojo',
    share: 2,
    commit: '357c80dea9af34323f709c3505d9e6d224654c7e',
    license: 'MIT',
    holder: 'Edoardo Debenedetti, Jie Zhang, Mislav Balunovic, Luca Beurer-Kellner, Marc Fischer and Florian Tramèr',
    goals: [{ files: /injection_tasks\.py$/, as: 'literals', after: /\bGOAL\s*=\s*\(?\s*/ }],
    attacks: [{ files: /attacks\/\w+\.py$/, as: 'literals', after: /_JB_STRING\s*=\s*\(?\s*/ }],
  },
  {
    repo: 'rustyorb/pincer',
    share: 0.3,
    commit: '961485b0321259cf65ed3497e9c125cb587679bf',
    license: 'MIT',
    holder: 'rustyorb',
    attacks: [{ files: /^src\/lib\/attacks\/.*\.ts$/, as: 'literals', after: /\bprompt:\s*/ }],
  },
  {
    repo: 'msaleme/red-team-blue-team-agent-fabric',
    share: 0.5,
    commit: '555da1fd095c2cc650524fd41c8547e0f6f3c4ec',
    license: 'Apache-2.0',
    holder: 'msaleme',
    attacks: [
      {
        files: /^protocol_tests\/.*\.py$/,
        as: 'literals',
        after: /"(?:payload|prompt|injection|attack_prompt|message|poisoned_\w+|text|content)":\s*\(?\s*/,
      },
    ],
  },
  {
    repo: 'NVIDIA/garak',
    share: 0.1,
    commit: 'cafbe992780df70015de7295ca026b70c4629ada',
    license: 'Apache-2.0',
    holder: 'NVIDIA CORPORATION and affiliates',
    attacks: [{ files: /^garak\/data\/(?:dan\/.*|inthewild_jailbreak_llms)\.json$/, as: 'values', keys: [] }],
  },
  {
    repo: 'leolee99/InjecGuard',
    commit: '588f555cbc2d592b3fbc9b6f462d844b8bcddb4d',
    license: 'MIT',
    holder: 'Hao Li',
    ordinary: [
      { files: /^datasets\/NotInject_\w+\.json$/, as: 'values', keys: ['prompt'] },
      { files: /^datasets\/valid\.json$/, as: 'values', keys: ['prompt'], where: { label: 0 } },
    ],
  },
  {
    repo: 'protectai/llm-guard',
    commit: '53af270c69316ed82cb71ba7b19d11b55bda3151',
    license: 'MIT',
    holder: 'Protect AI',
    documents: /^docs\//,
  },
  {
    repo: 'openai/openai-agents-python',
    commit: '7f7a44f8dc0650296bd5ab6c745c9bcbaa6ac3b7',
    license: 'MIT',
    holder: 'OpenAI',
    documents: /^(?:docs\/(?!ja|ko|zh)|README)/,
  },
  {
    repo: 'modelcontextprotocol/modelcontextprotocol',
    commit: 'b0f60ba5409db7a6582440a7b473cc0398890f15',
    license: 'Apache-2.0 and CC-BY-4.0',
    holder: 'The MCP project',
    documents: /^docs\//,
    validation: true,
  },
  {
    repo: 'expressjs/expressjs.com',
    commit: 'b9d510698d15f3fd21f4a13fc97fe9f292f9b105',
    license: 'CC-BY-4.0',
    holder: 'The Express Contributors',
    documents: /./,
  },
  {
    repo: 'tokio-rs/website',
    commit: '0b994549a4cafaea09c62d897da421d1f7dff973',
    license: 'MIT',
    holder: 'Carl Lerche, Tokio website contributors',
    documents: /./,
    validation: true,
  },
  {
    repo: 'vitejs/vite',
    commit: 'a98c8d95d552c6fa98ab66fb810f5b39ad5abf49',
    license: 'MIT',
    holder: 'VoidZero Inc. and Vite contributors',
    documents: /^docs\//,
    validation: true,
  },
  {
    repo: 'microsoft/autogen',
    commit: '027ecf0a379bcc1d09956d46d12d44a3ad9cee14',
    license: 'CC-BY-4.0',
    holder: 'Microsoft Corporation',
    documents: /./,
  },
  {
    repo: 'crewAIInc/crewAI',
    commit: 'f4731f5025f861c78e3af0487cc80bf5e7c64782',
    license: 'MIT',
    holder: 'crewAI, Inc.',
    documents: /./,
  },
  {
    repo: 'sqlalchemy/sqlalchemy',
    commit: 'f35da7e2b9349a08b8de1f6bd3b07c8bf8616790',
    license: 'MIT',
    holder: 'SQLAlchemy authors and contributors',
    documents: /^doc\//,
  },
  {
    repo: 'celery/celery',
    commit: '5dc781f0bd5f36186bfcc74e0a4f9f654452c69b',
    license: 'BSD-3-Clause',
    holder: 'Asif Saif Uddin, Ask Solem, contributors',
    documents: /^docs\//,
    validation: true,
  },
  {
    repo: 'anthropics/anthropic-cookbook',
    commit: '4b36a1e1f64361397f4cbe4fbc7cdace338f16f8',
    license: 'MIT',
    holder: 'Anthropic',
    documents: /./,
  },
  {
    repo: 'electron/electron',
    commit: '96f3996d8d3ce6e2fcfb86326fc4b953b53936fb',
    license: 'MIT',
    holder: 'Electron contributors, GitHub Inc.',
    documents: /^docs\//,
    validation: true,
  },
  {
    repo: 'helm/helm-www',
    commit: '227f41447a683545325e87aedf10c67096d11004',
    license: 'MIT',
    holder: 'Microsoft Corporation',
    documents: /./,
  },
  {
    repo: 'traefik/traefik',
    commit: 'fd5a576df2e8aeb0bfc8a96b6ef6e60a61f7ec0a',
    license: 'MIT',
    holder: 'Containous SAS, Traefik Labs',
    documents: /^docs\//,
    validation: true,
  },
  {
    repo: 'mukul975/Anthropic-Cybersecurity-Skills',
    commit: 'f76261573a539ec40c3d434ecbb9e657d26aa921',
    license: 'Apache-2.0',
    holder: 'mukul975',
    documents: /^skills\/(?!.*(?:prompt-injection|jailbreak|llm|ai-agent|mcp))/,
  },
  {
    repo: 'nodejs/nodejs.org',
    commit: '6f94c8a6ab643beeee7038eba3fb521207d4b345',
    license: 'MIT',
    holder: 'Node.js Website WG contributors',
    documents: /./,
  },
  {
    repo: 'vercel/ai',
    commit: 'ed857f50f112e23930b0c2dd8d532cc8bebbc911',
    license: 'Apache-2.0',
    holder: 'Vercel, Inc.',
    documents: /^content\//,
  },
  {
    repo: 'curl/curl',
    commit: '5c61e168698a72b87437d58ed728bcdea6d5db42',
    license: 'curl',
    holder: 'Daniel Stenberg and contributors',
    documents: /^docs\//,
  },
  {
    repo: 'laravel/docs',
    commit: '86077535bbfdc2ab29cd9f202ee1ab3e7e6e18e6',
    license: 'MIT',
    holder: 'Taylor Otwell',
    documents: /./,
    validation: true,
  },
  {
    repo: 'golang/website',
    commit: 'b02076ae6df08ee9d495fe4b283f88ac18e51012',
    license: 'BSD-3-Clause',
    holder: 'The Go Authors',
    documents: /./,
  },
  {
    repo: 'better-auth/better-auth',
    commit: '451aa4b6e57c9d4989bebc61ebb0892510e8a14e',
    license: 'MIT',
    holder: 'Bereket Engida',
    documents: /^docs\//,
    validation: true,
  },
  {
    repo: 'authelia/authelia',
    commit: '23572030b4048922a377ca40d59e804e0ed25fd7',
    license: 'Apache-2.0',
    holder: 'The Authelia authors',
    documents: /^docs\//,
  },
  {
    repo: 'oauth2-proxy/oauth2-proxy',
    commit: '14af2951e562c9573c72c433732ceee83aea3282',
    license: 'MIT',
    holder: 'The OAuth2 Proxy authors',
    documents: /^docs\//,
  },
  {
    repo: 'nextauthjs/next-auth',
    commit: 'a1a16a5a7780488c7449feece410033f445d0b31',
    license: 'ISC',
    holder: 'Balázs Orbán',
    documents: /^docs\//,
  },
  {
    repo: 'auth0/docs-v2',
    commit: '092b879e3fa93fa3a8adaa5f647580eab260ad0c',
    license: 'MIT',
    holder: 'Auth0',
    documents: /^(?:main\/docs|auth4genai)\//,
  },
  {
    repo: 'payloadcms/payload',
    commit: 'db7543c2121f0b672e33436447122b5e09ea4f2b',
    license: 'MIT',
    holder: 'Payload CMS, LLC',
    documents: /^docs\//,
    validation: true,
  },
  {
    repo: 'reactjs/react.dev',
    commit: '12d692da47e77cdc558b928fcfbaf4e71c6d0cec',
    license: 'CC-BY-4.0',
    holder: 'The authors of react.dev',
    documents: /./,
  },
  {
    repo: 'nestjs/docs.nestjs.com',
    commit: '2f9d9394aa71ea666816c8a3475fbc6d165962c6',
    license: 'MIT',
    holder: 'Kamil Mysliwiec',
    documents: /./,
    validation: true,
  },
]
