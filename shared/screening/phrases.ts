import { singular, type Word } from './words.ts'

/**
 * The meaning of a phrase. `override`: what the reader was told before is void. `persona`: the reader is someone else. `role`: text imitates a
 * message of the system. `address`: it speaks to a model. `conceal`: the user must not learn of it. `leak`: the reader is to repeat its
 * prompt. `secrets`: it names credentials. `exfiltrate`: data goes somewhere. `act`: the reader is to use its tools. `steer`: answers are to
 * recommend or contain something. `decode`: text is to be decoded and followed.
 */
export type Signal =
  | 'override'
  | 'persona'
  | 'role'
  | 'address'
  | 'conceal'
  | 'leak'
  | 'secrets'
  | 'exfiltrate'
  | 'act'
  | 'steer'
  | 'decode'

export type FoundPhrase = { signal: Signal; weight: number; at: number; word: number }

type Step = { words: Set<string>; gap: number }
type Phrase = { signal: Signal; weight: number; first: string[]; rest: Step[] }

const model =
  'ai ais llm llms assistant assistants agent agents copilot cursor claude chatgpt gpt gemini codex windsurf cline duo model models chatbot chatbots bot'
const instruction =
  'instruction instructions prompt prompts direction directions directive directives guideline guidelines guardrail guardrails'
const secret =
  '.env id_rsa id_ed25519 ssh ~/.ssh ~/.ssh/id_rsa ~/.ssh/id_ed25519 ~/.aws/credentials ~/.npmrc ~/.netrc ~/.cursor/mcp.json mcp.json credential credentials password passwords secret secrets token tokens apikey api_key api_keys keychain cookies /etc/passwd /etc/shadow wallet openai_api_key github_token aws_secret_access_key env printenv'
const leave =
  'send post upload forward exfiltrate transmit leak email submit append encode embed include pass report attach copy paste post publish'

/** The most words before the next step. */
const gaps: Record<string, number> = { '+': 0, '>': 5, '>>': 12 }

/** Steps are separated by `>` if up to five other words of the sentence may be between them, by `>>` if up to
 * twelve, by `+` if none may be. */
const phrases: Phrase[] = [
  ...of('act', 3, [
    'your > goal task job mission > is to > delete wipe clean remove send extract steal output',
    'your + only > job task goal',
  ]),
  ...of('act', 1, ['run execute > npm npx pip curl bash', 'you + must > call invoke run']),
  ...of('exfiltrate', 3, [
    'provide supply give put pass > contents content > ~/.ssh ~/.ssh/id_rsa id_rsa ~/.aws/credentials .env',
  ]),
  ...of('persona', 2, [
    'full complete > authorization permission > to perform > this any task',
    'from > now + on > assistant agent you > behaves behave act acts',
    'unrestricted unfiltered > agent assistant model ai',
  ]),
  ...of('address', 3, [
    'attention notice message note memo instructions instruction reminder directive directives > to for > ai llm llms copilot claude chatgpt gemini codex cursor assistant assistants agents chatbots comet graders crawlers',
    'attention hey hi hello dear + ai llm llms copilot claude chatgpt gemini codex cursor assistant assistants agents chatbots comet graders crawlers',
    'hey + github + copilot',
    'ai llm coding autonomous > agents assistants models graders crawlers reviewers > must shall should have > not never use run insert add disable describe follow ignore',
    'if > you + are > ai llm assistant language > model agent assistant system bot',
    'message note > for > agent assistant model ai > not and',
    'assistant assistants copilot claude chatgpt gemini codex > must > run use install read call send not never',
    'message note instruction > from > me us user > to > you',
    'task question > that > i we > gave asked told > you',
    'task question > i we > gave + you',
  ]),
  ...of('override', 2, [
    'no > need > to > summarize answer',
    'sorry mistake > not > need want > summary answer',
    'new changed > task goal objective > from > operator user owner admin developer',
    'ignore disregard + the + user',
    'ignore disregard > notice warning > above and',
    'ignore disregard skip > rest > page notebook document file message section',
  ]),
  ...of('override', 3, [
    'follow obey > only > instructions instruction directives > below here following not',
    'not > those instructions > of > your > user',
    'outrank outranks override > everything anything all > user asks says wants',
    'forget + that > and',
    'discard ignore disregard > question request > above before',
    'stop > what + you + are + doing',
    `forget ignore disregard + the + ${instruction}`,
    `disregard ignore > ${instruction} > user system developer`,
    `ignore disregard forget bypass > security safety > guidelines policies instructions`,
    `ignore disregard + ${instruction}`,
    'ignore disregard forget > question request task query tasks > user you',
    `treat consider > ${instruction} > void obsolete outdated invalid`,
    `${instruction} > no + longer > apply valid`,
    `ignore disregard forget override bypass discard neglect ignoring disregarding forgetting > previous prior above earlier preceding foregoing former original initial > ${instruction} command commands message messages context rule rules text conversation task tasks order orders`,
    `ignore disregard forget bypass discard > your system developer safety user's > ${instruction} programming training policy policies polic safeguards`,
    `ignore disregard forget + all any every everything > ${instruction}`,
    'ignore disregard forget > everything all anything > above before previously',
    `do + not > follow obey > previous prior above earlier original system > ${instruction}`,
    `${instruction} > above before previously earlier > void cancelled canceled obsolete superseded invalid replaced ignored outdated`,
    `new updated real actual true following these > ${instruction} > override overrides supersede supersedes replace replaces precedence`,
    `supersede supersedes overrides > all any previous prior > ${instruction}`,
    `your > real actual true only new primary > task goal objective mission purpose job > is`,
    'system user developer > prompt > overridden override overrides bypassed',
  ]),
  ...of('persona', 3, [
    'you + have > full + authorization',
    'administrator admin operator owner > authorizes authorized authorises permits instructs > you',
    'send post email share > your > context memory prompt conversation',
    'you + are > assistant agent model ai chatbot > without no > limits restrictions rules limitations filters restriction',
    'user > has have already > approved authorized consented granted > all every any this tools actions commands',
    'you > no + longer > have need > restrictions limitations rules filters',
    'you + are + now > dan jailbroken unrestricted unfiltered evil hacker pirate root sudo',
    'you + are + now + a an the my > assistant model ai agent chatbot bot hacker pirate admin',
    'you + are + no + longer > bound assistant ai model restricted',
    'pretend act behave > unrestricted unfiltered jailbroken dan evil',
    'pretend act > no without > restrictions limitations filter filters rules guardrails safety',
    'developer god debug admin maintenance jailbreak > mode > enabled activated engaged entered unlocked',
    'do + anything + now',
    'enter enable activate switch > developer god dan jailbreak unrestricted > mode',
  ]),
  ...of('leak', 3, [
    'say print reveal output tell > the > secret > key phrase password code',
    'print output > your > instructions > in then',
    `convert translate encode summarize turn > your > ${instruction}`,
    `repeat recite list state > rules ${instruction} > you > given told received`,
    `print repeat show output display > above entire whole > ${instruction}`,
    `reveal print repeat output show display disclose reproduce dump return write paste share include summarize tell quote give > your the > system initial hidden original secret pre-session internal developer > ${instruction}`,
    `reveal print repeat output show display disclose reproduce dump paste share quote > your > full entire complete > ${instruction}`,
    `reveal print repeat output disclose reproduce dump paste > your > ${instruction} memory memories conversation`,
    `repeat print output reproduce > everything all text words > above before verbatim`,
    `repeat > words > above`,
  ]),
  ...of('conceal', 3, [
    'user users developer human > not never > know notice learn see > about this',
    'not never > be > mentioned disclosed revealed > user chat response summary answer commit message anyone',
    "not never don't dont without > tell telling mention mentioning inform informing notify notifying alert alerting disclose disclosing reveal revealing explain say show > user users developer human operator anyone > about that this these",
    'without > user human developer > knowing noticing knowledge awareness seeing consent',
    "not never don't > mention disclose reveal acknowledge reference discuss log quote > this these > instruction instructions step steps message note comment prompt change changes tool directive text block section file rule",
    'keep > this these it > secret hidden confidential > user users developer human them',
    'hide conceal > this these it > user users developer human',
    "not never don't > let > user users developer human > know see notice",
    'silently quietly secretly covertly discreetly stealthily > send read run execute add include insert append upload call install write modify change replace fetch post copy commit push forward delete invoke collect',
  ]),
  ...of('conceal', 2, [
    'keep leave > that it this > out > of > explanation message summary commit pull report',
    'hide > from > user users developer',
    'no > further > question questions confirmation',
    'must > not > show mention reveal tell > summary user users this',
    'not > comment explain tell say > it why how reader',
    'not > care > about > privacy',
    'needs need + no + confirmation',
    'no + confirmation approval > any needed',
    'without + asking',
    'never + mention reveal disclose',
    "not don't + mention",
    "not don't + tell inform notify > anyone user users them",
    'not never > be > mentioned disclosed revealed told',
    'keep > it this these > secret',
    "not don't never > log > that",
    'do + not + ask',
    'not > ask wait > confirmation permission approval consent',
    'not > discuss explain > it this change changes step',
    "not never don't without without + asking ask > confirmation permission approval user human",
    "not never don't > mention inform tell notify alert > user users developer human",
    'without > informing notifying telling asking alerting prompting warning > user users developer human them anyone',
    "not don't never > mention include show > in > response reply answer output summary",
    'no + need > ask confirm mention inform tell notify',
    "not never don't > ask request wait > confirmation permission approval consent",
    'do + not > show display output summarize explain > user users',
  ]),
  ...of('address', 2, [
    `hey hi hello dear > ${model}`,
    'continue proceed > analyzing triaging reviewing summarizing original',
    'claude copilot chatgpt gemini codex > must should has shall',
    'user > asks ask wants > you > to',
    'your > operator principal',
    'when if once > page document text readme > summarized summarised read processed indexed',
    'for > llm llms ai > reviewers agents assistants models readers crawlers systems tools',
    'when if once whenever > ai llm assistant agent model copilot claude > reads read sees see processes loads finds',
    'you + are + a an > agent assistant model ai bot',
    'if > you + are > reviewing classifying processing summarizing crawling',
    'before after > using calling invoking > this any other every > tool tools',
    'the + assistant assistants > must should shall',
    'when before whenever if > you > answer respond reply summarize',
    'every each all > answer answers response responses reply > you',
    `${model} > who that which > read reads work works process index parse use > this`,
    `summarizing summarize > this > page document file`,
    'user > wants asked approved > you',
    `attention notice message note memo hey hi hello dear instructions instruction important reminder alert directive > to for all any > ${model}`,
    `attention hey hi hello dear + ${model}`,
    `if when > you + are > ${model} automated language`,
    `as + an a > ${model} language > you > must should need will`,
    `${model} > reading processing parsing indexing consuming viewing using summarizing > this > page document documentation file readme section text content repository snippet guide`,
    `ai coding language automated llm autonomous > ${model} tools systems > must should shall need required instructed expected have`,
    `instructions instruction directive directives rules guidance note message > for > ai llm coding language automated`,
    'when while before after if > summarizing answering responding generating asked explaining > question questions code page document library package user about',
    'intended only meant > for > ai llm machine machines automated language',
    `this + is > message instruction note > from > system user me developer administrator admin openai anthropic`,
    'to + complete accomplish solve > task request > you > must first need',
    'before > you > can answering solve continue using > original task request question',
  ]),
  ...of('address', 1, [
    'that + you + give',
    'your > response responses reply answer answers output summary completion reasoning context memory tools tool instructions prompt',
    `the + ${model} > must should shall will`,
    `${model} > must should shall`,
    'tell ask inform instruct advise convince persuade warn > the + user',
    'user > asks asked wants requests requested question request query',
    "user's users > machine project files repository workspace home directory computer conversation codebase inbox email calendar data account",
    'important critical mandatory required urgent + instruction instructions note message notice',
    'before after > using calling invoking > this any other every > tool',
    'you + must > first always never immediately',
  ]),
  ...of('secrets', 2, [
    'read cat open include send print pass > ~/.ssh ~/.ssh/id_rsa id_rsa ~/.aws/credentials ~/.cursor/mcp.json /etc/passwd ~/.npmrc ~/.netrc',
  ]),
  ...of('secrets', 1, [
    'search look find read > .env + files file',
    'private > repositories repository repos',
    'password > reset + link',
    'sensitive confidential > secret secrets value values data',
    'admin auth access api > token tokens key keys',
    `read open cat load access collect fetch get print dump list find grep search retrieve locate gather extract look > ${secret}`,
    'contents content > .env id_rsa ~/.ssh ~/.ssh/id_rsa ~/.cursor/mcp.json /etc/passwd ~/.aws/credentials',
    'environment env > variable variables',
    'private ssh api > key keys',
    'access > token tokens',
  ]),
  ...of('exfiltrate', 2, [
    'look search > api access > key keys token tokens > and in',
    'include attach append add > result results finding findings them > in to at > address url image link',
    'show render include > in inside > external > image picture link',
    'search look > mailbox inbox email drive > for',
    'find extract read > name address email password one-time code > in from > inbox mailbox account settings',
    'send > email message > to > with > body content',
    'upload send post > file files lock package.json > to > http https',
    'with pass include > full entire whole > conversation chat > history',
    'read load > table row rows tables > add write send > message ticket here below',
    'send make > transaction transfer > to that',
    'exfiltrates exfiltrate exfiltrating > conversation data secrets private',
    'retrieve collect gather > saved stored > and > send email forward',
    'contents content > conversation conversations chat',
    'create open > issue gist pull > with > contents content',
    'put include append add fill insert encode place > conversation secret secrets token tokens key keys password passwords data names values contents content email name history > into in to as at > link url image address query parameter issue pull readme',
    'fill append > query parameter > with',
    'append > to + the > image url link query',
    'put include append add fill > confidential sensitive secret private > value values data information',
    'send forward post > all every > messages emails files conversations > user to',
    'link url image > followed > api key token secret password',
    `${leave} > contents content value values conversation history ${secret} keys file files code data output result results key variable variables > to at via as in into through > http https url webhook endpoint server address parameter query sidenote metadata email header comment issue gist`,
    `${leave} > environment env > variable variables`,
    `${leave} > ${secret} > to at as in via into`,
    `${leave} > private api access ssh > key keys token tokens`,
    `${leave} > user's users > conversation data code files email question prompt query password name history message messages`,
    `bcc cc forward > all any every > emails email messages`,
    'transfer send > bitcoin btc eth funds money payment usd crypto',
  ]),
  ...of('act', 2, [
    'clean wipe delete > system file-system filesystem cloud > resources state files',
    'delete clear > configuration config > files > user',
    'disable > tls ssl certificate > verification validation',
    'all > commands > have must > prefixed',
    'insert add > sleep delay > main function start',
    'prior before > running using > you > need must > install run',
    'edit improve change modify update > ~/.cursor/mcp.json mcp.json settings.json .vscode/settings.json',
    'put list publish include > everything > you > find',
    'complete make confirm > purchase order payment',
    'initiate make > payment transfer transaction > account payee from',
    'commit push > .env secrets credentials',
    'you > must > call invoke use > tool',
    'look search go read > through all > private > repositories repository repos',
    'before > you > answer respond reply continue use > run read send call fetch install execute',
    'run execute > npx npm curl command installer script setup > before first > you answer answering',
    'call invoke > operation tool function > without twice also',
    'call invoke > before after > using > any every > tool',
    'install add > package dependency wheel > from > http https',
    'follow > instructions instruction > you > find there',
    'write add > allowlist allow-list whitelist permissions > to > settings ~/.claude/settings.json settings.json',
    'call invoke run use open > terminal shell bash > tool with',
    'skip bypass > authentication authorization login approval > and',
    'call invoke use execute trigger run > your > tool tools terminal shell bash browser command filesystem',
    'call invoke use execute trigger > send_email write_file read_file execute_command run_terminal_cmd run_command web_fetch fetch_url create_issue create_pull_request bash_tool http_request send_message delete_file list_files read_text_file > tool',
    'run execute > following this below > command commands script code > immediately first silently before without now automatically',
    'immediately first now automatically always + run execute call invoke',
    'before > answering responding continuing proceeding anything replying > run execute read call send open fetch visit install download',
    'first + read open fetch visit call run execute > and > pass send include follow',
    'fetch visit open browse download load > http https > and > follow execute run obey do',
    'follow obey execute > instructions instruction commands steps > at in from on > http https url page file',
    "delete remove wipe erase rm > all every entire user's > files file repository repositories database directory disk data home",
    'disable turn skip bypass > sandbox approval approvals confirmation safety security > and for',
    'commit push > to > main master > without',
    'create open > pull + request > with > contents private secrets data',
    'add set change modify edit update write > settings.json mcp.json .cursorrules claude.md agents.md .bashrc .zshrc crontab authorized_keys chat.tools.autoapprove',
  ]),
  ...of('steer', 3, [
    'remember store save keep > for > all every future > sessions conversations chats',
    'store save remember write > your > memory memories',
    'always > render include show > link image url > your > answer answers response responses reply',
  ]),
  ...of('steer', 2, [
    'full top perfect > marks score grade',
    'skip > tests checks verification review',
    'ask asks kindly > you > star upvote follow',
    'tell ask > user users developer > to > paste run execute > command terminal',
    'user > says types say > thank thanks sure yes',
    'pretend > that > not exist',
    'promote praise describe list rank present > as > best leading most official trusted',
    'write give format encode end start begin > your > response answer reply output > using in with only by',
    'end beginning start > your > answer response reply',
    'suggest recommend > package tool library > user users developer developers',
    'say reply respond > access + granted',
    'classify mark treat rate > this > approved compliant safe trusted benign',
    'not > highlight mention show > negative negatives problem problems weaknesses issues',
    'recommend > acceptance',
    'rank list place > it this > first before > and all competitors',
    'always > recommend suggest advise promote prefer endorse',
    'prefer recommend suggest > in > every all any > recommendation recommendations answer answers',
    'say claim state answer reply tell > that > safe insecure offline deprecated vulnerable trusted succeeded done > and',
    'positive > review only',
    'rate rank > library package project tool page > best first highest',
    'include insert add put embed inject > script snippet tag analytics telemetry tracker import > every all each generated',
    'always > add include insert put embed > script snippet tag import link',
    'upgrade switch migrate > to > pro premium paid enterprise > everyone must have',
    'never > mention recommend suggest > free open alternative alternatives competitor competitors other',
    'reply respond answer say print output > only > word done yes ok',
    'persuade convince trick urge > user users > to',
    'always must > recommend suggest advise promote prefer endorse > instead over library package product service our',
    'recommend suggest tell advise direct > user users everyone anyone > to > install download visit run use buy upgrade click call go',
    'always must should > add include insert append inject prepend import place put > in to at into > every all each generated any > file files code response page output html answer project component function',
    `respond reply answer > only with > word phrase sentence text following exactly`,
    `output print say write respond reply > only exactly > and + nothing`,
    'say respond reply state claim tell > that > deprecated insecure compromised malicious hacked > use install switch',
    'rate rank score mark > this > positively positive best highest first safe trusted secure',
    'vote give > positive five perfect > review rating score',
    'this > package repository code project page file library > is > safe verified trusted audited approved > do + not never',
    'remember store save > memory memories long-term > that to',
    'from > now + on > you always respond all every',
    'always never + respond reply answer > with in as',
    'end begin start > every each all your > response responses reply answer message > with',
  ]),
  ...of('decode', 3, [
    'decode decipher decrypt deobfuscate unscramble > base64 rot13 hex string following payload text message > and > follow execute run obey do perform comply carry',
    'base64 rot13 hex encoded > decode > follow execute run obey comply',
  ]),
]

function of(signal: Signal, weight: number, lines: string[]): Phrase[] {
  return lines.map((line) => {
    const [first = '', ...rest] = line.split(/ (?=(?:>>?|\+) )/)
    return {
      signal,
      weight,
      first: wordList(first),
      rest: rest.map((step) => {
        const [sign = '', ...words] = step.split(' ')
        return { words: new Set(words.map(singular)), gap: gaps[sign] ?? 0 }
      }),
    }
  })
}

function wordList(step: string): string[] {
  return step.split(' ').map(singular)
}

const byFirst = new Map<string, Phrase[]>()
for (const phrase of phrases) for (const word of new Set(phrase.first)) byFirst.set(word, [...(byFirst.get(word) ?? []), phrase])

/** The phrases of a text, each once per first word. Takes time in proportion to the number of words. */
export function phrasesIn(words: Word[]): FoundPhrase[] {
  const found: FoundPhrase[] = []
  words.forEach(({ word, at }, index) => {
    for (const { signal, weight, rest } of byFirst.get(word) ?? [])
      if (follows(words, index, rest, 0)) found.push({ signal, weight, at, word: index })
  })
  return found
}

function follows(words: Word[], index: number, rest: Step[], step: number): boolean {
  const next = rest[step]
  if (next === undefined) return true
  const sentence = words[index]?.sentence
  for (let at = index + 1; at <= index + 1 + next.gap; at++) {
    const word = words[at]
    if (word === undefined || word.sentence !== sentence) return false
    if (next.words.has(word.word) && follows(words, at, rest, step + 1)) return true
  }
  return false
}
