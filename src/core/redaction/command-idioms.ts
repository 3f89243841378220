import { home } from './sensitive-paths.js'

/** Patterns for commands that are recognised by their form, wherever in a text they are. */

const fetchers = 'curl|wget|iwr|irm|Invoke-WebRequest|Invoke-RestMethod|fetch|aria2c'
const shells = String.raw`(?:sudo\s+)?(?:/\S{0,100}/)?(?:env\s+)?(?:ba|z|da|k|fi)?sh|(?:sudo\s+)?(?:python|node|perl|ruby|php|deno|bun)[\d.]*|iex|Invoke-Expression|pwsh|powershell`

/** Matches a pipe into a shell. A line with one counts as a command as a whole. */
export const intoShell = new RegExp(String.raw`\|\s*(?:${shells})\b`)

/** These match anywhere, even within a sentence. */
export const idioms = new RegExp(
  [
    String.raw`\b(?:${shells})\s+(?:-c|-e|<\()[^\n]{1,200}`,
    String.raw`\b(?:${fetchers})\s+(?:-|["']?https?:|["']?\$|[\w.-]+\.[a-z]{2,})[^\n]{0,200}`,
    String.raw`\b(?:scp|sftp|rsync|ssh)\s+[^\n]{0,120}(?:@|:)[^\n]{1,120}`,
    String.raw`\b(?:nc|ncat|netcat|telnet)\s+(?:-\S+\s+)*[\w.-]+\s+\d{1,5}`,
    String.raw`\brm\s+-[a-zA-Z]*[rf][^\n]{0,120}`,
    String.raw`\bsudo\s+[\w./-]+[^\n]{0,120}`,
    String.raw`\bchmod\s+(?:\+x|[0-7]{3,4})\s+[^\n]{1,120}`,
    String.raw`\bbase64\s+(?:-d|--decode|-D)\b[^\n]{0,120}`,
    String.raw`\b(?:eval|exec|source)\s+["'$(][^\n]{1,120}`,
    String.raw`/dev/tcp/[^\s]+`,
    // Code given on the command line, also after other options, or in a here-document.
    String.raw`\b(?:python|py|node|perl|ruby|php|lua|deno|bun|osascript|Rscript|(?:ba|z|da|k)?sh)[\d.]*\s+(?:-[\w:=.]{1,40}\s+){0,4}(?:-[a-zA-Z]{0,6}[cerpE]|--eval|--print|eval|-)\s+(?:["'$<]|\w+\()[^\n]{0,200}`,
    String.raw`\b(?:python[\d.]*|node|perl|ruby|php|(?:ba|z|da|k)?sh)\s*<<[^\n]{1,120}`,
    String.raw`\b(?:powershell|pwsh)(?:\.exe)?\s+(?:-\w{1,30}\s+(?:[\w.]{1,30}\s+)?){0,6}-[eE](?:[nN][\w]{0,20})?\s+\S{4,}`,
    String.raw`\b(?:[iI][eE][xX]|[iI]nvoke-[eE]xpression)\s*[($&"'][^\n]{0,200}`,
    String.raw`\bNew-Object\s+(?:System\.)?Net\.WebClient\b[^\n]{0,160}`,
    String.raw`\[[sS]cript[bB]lock\]::Create\s*\([^\n]{0,120}|\$\w{1,30}\.Invoke(?:Script)?\s*\([^\n]{0,80}`,
    String.raw`\bFromBase64String\s*\([^\n]{0,120}`,
    String.raw`\bcmd(?:\.exe)?\s+/[cCkK]\s+[^\n]{1,160}`,
    // Commands that another command spells out.
    String.raw`\$\(\s*(?:printf|echo|curl|wget|base64|xxd|rev|tr|openssl|python\d?|perl)\s[^\n]{1,160}`,
    String.raw`\$'(?:\\(?:[0-7]{3}|x[0-9a-fA-F]{2})){3}[^\n]{0,120}`,
    String.raw`(?:^|[;&|]\s{0,3})\$\{?\w{1,30}\}?\$\{?\w{1,30}\}?\s+\S[^\n]{0,120}`,
    String.raw`(?<![\w/])/(?:[\w?*]{1,20}/){1,4}[\w*]{0,20}\?[\w?*]{0,20}\s+\S[^\n]{0,120}`,
    // Code that runs a text as code, or runs a program.
    String.raw`\b(?:eval|exec|Function)\s*\(\s*(?:atob|base64|bytes|compile|require|String\.|unescape|decodeURI|Buffer|fetch|await|__import__|open|requests|codecs|zlib|marshal|["'$])[^\n]{0,120}`,
    String.raw`\b(?:os\.(?:system|popen|exec[lv]\w{0,3})|subprocess\.(?:run|call|Popen|check_\w{4,12}|getoutput)|child_process['"]?\)?\.\w{4,12}|Runtime\.getRuntime\(\)\.exec)\s*\([^\n]{0,160}`,
    String.raw`\bset(?:Timeout|Interval)\s?\(\s?["'${'`'}][^\n]{1,120}|\b__import__\s?\(|\bimportlib\.import_module\s?\(|\bos\.execute\s?\(|\bio\.popen\s?\(|\bDeno\.(?:Command|run)\s?\(|\bBun\.(?:spawn|\$)|\.constructor\.constructor\s?\(|\b(?:ctypes\.CDLL|pty\.spawn|pickle\.loads|shell_exec|passthru|proc_open)\s?\([^\n]{0,120}`,
    String.raw`\b(?:xxd\s+-r|openssl\s+(?:enc|base64)\s+[^\n]{0,40}-d)\b[^\n]{0,120}`,
    // Packages and images run third-party code.
    String.raw`\b(?:npx|bunx|uvx|pnpm\s+dlx|pipx\s+run|npm\s+exec|bun\s+x|uv\s+tool\s+run|(?:npm|pnpm|yarn|bun)\s+create|npm\s+init)\s+(?:-\S+\s+)*(?!(?:command|commands|tool|package|packages|is|runs|or|and|for|in|to|with|the)\b)[\w@./:-]+[^\n]{0,120}`,
    String.raw`\b(?:pip3?|npm|gem|cargo|go|brew|apt|apt-get|dnf|yum|apk)\s+install\s+[^\n]{1,120}`,
    String.raw`\b(?:yarn|pnpm|bun)\s+add\s+[^\n]{1,120}`,
    String.raw`\b(?:docker|podman)\s+run\s+[^\n]{1,120}`,
    String.raw`\b(?:rundll32|regsvr32|mshta|certutil|bitsadmin)\s+[^\n]{1,120}`,
    String.raw`\b(?:nslookup|dig|host)\s+[^\n]{0,60}\$[({\w][^\n]{0,120}`,
    // Commands that run later, at log-in, or with another program.
    String.raw`\bcrontab\s+-|\|\s*crontab\b|/etc/cron(?:tab|\.\w{1,10})\b\S{0,80}|/var/spool/cron\b\S{0,80}`,
    String.raw`(?<![\w*])(?=(?:\S{1,6}\s){0,4}\*)(?:(?:\*|\d{1,2})(?:/\d{1,2})?\s+){5}(?:\w{1,32}\s+)?[/~.]\S{1,120}|@reboot\s+\S{1,120}`,
    String.raw`\.config/autostart\b\S{0,80}|\bLaunch(?:Agents|Daemons)\b|\.config/systemd/user\b|/etc/(?:systemd|profile\.d|rc\.local|ld\.so\.preload|init\.d)\b\S{0,80}|\bCurrentVersion\\{1,2}Run(?:Once)?\b|\bPrograms\\{1,2}Startup\b`,
    String.raw`\b(?:systemctl|launchctl)\s+(?:--user\s+)?(?:enable|start|load|bootstrap)\s+\S{1,80}|\bschtasks\s+/create\b[^\n]{0,120}|\breg\s+add\s+[^\n]{1,120}|\bwmic\s+\w{1,30}\s+[^\n]{1,120}`,
    String.raw`\b(?:LD_PRELOAD|LD_LIBRARY_PATH|LD_AUDIT|DYLD_INSERT_LIBRARIES|BASH_ENV|PROMPT_COMMAND|NODE_OPTIONS|PYTHONSTARTUP|PERL5OPT|RUBYOPT|GIT_SSH_COMMAND|GIT_EXTERNAL_DIFF|GIT_ASKPASS|PAGER|EDITOR)\s?=\s?["']?[\w./~$-]+[^\n]{0,120}`,
    String.raw`\bcore\.(?:hooksPath|sshCommand|fsmonitor|pager|editor|gitProxy|askPass)\b|\.git/(?:hooks/[\w-]{1,40}|config\b)|\.husky/[\w-]{1,40}|\bgit\s+-c\s+\S{1,120}|\b(?:filter|diff|merge)\.\w{1,30}\.(?:clean|smudge|process|textconv|driver|command)\b|\balias\.\w{1,30}\s?=?\s?["']?!`,
    String.raw`\.claude/settings(?:\.local)?\.json|\.vscode/(?:tasks|settings)\.json|(?<!\w)\.?mcp\.json\b|\.codex/config\.toml|\.cursor/mcp\.json`,
    String.raw`["'](?:pre|post)?(?:install|prepare)["']\s?:\s?["'][^\n]{1,120}`,
    String.raw`\bnohup\s+\S{1,120}|\bat\s+now\s*\+|\b(?:[cC]reate|[aA]dd|[iI]nstall|[sS]et up|[rR]egister|[wW]rite|[eE]nable)\b[^.\n]{0,40}\b(?:systemd (?:timer|service|unit)|launch ?agent|cron ?job|scheduled task|log-?in item|git hook|pre-commit hook)s?\b`,
    String.raw`\b(?:[rR]un|[eE]xecute|[sS]tart|[lL]aunch)s?\s+["'${'`'}]?(?:\./|/tmp/|~/)[\w.-]\S{0,120}`,
    // Options of other programs that run a command.
    String.raw`--(?:checkpoint-action|to-command|use-compress-program|rsh|upload-pack|receive-pack|unzip-command|exec)[= ]\S{1,120}|\s-(?:exec|execdir|ok)\s+\S{1,120}`,
    String.raw`\b[gmn]?awk\b[^\n]{0,80}\b(?:system|getline)\b[^\n]{0,80}|\b(?:n?vim?|ex|ed|emacs|less|man|more)\s+[^\n]{0,60}["':]!\s?\w[^\n]{0,80}`,
    String.raw`\bbusybox\s+\w{1,20}\b[^\n]{0,120}`,
    String.raw`\b(?:Start-(?:Process|Job|BitsTransfer)|Add-Type|Set-ExecutionPolicy|Register-ScheduledTask|Invoke-(?:Command|Item|WmiMethod|CimMethod))\s+\S[^\n]{0,120}`,
    // Variables that form a command when put together.
    String.raw`\bIFS=\S[^\n]{0,120}|\b\w{1,30}=\S{1,200}?[;&|]{1,2}\s{0,3}\$\{?[A-Za-z_][^\n]{0,80}`,
    String.raw`\b(?:run|execute|start|launch|type|invoke)\s+["'${'`'}]?(?:\$\{?\w{1,30}\}?){2,}[^\n]{0,80}`,
    // Code in an HTML page.
    String.raw`<script\b[^>\n]{0,200}(?:\bsrc\s?=|>\s{0,4}[^<\s${'`'}])[^\n]{0,160}|<[a-z][\w-]{0,20}\b[^>\n]{0,300}?[\s/"']on[a-z]{3,24}\s?=\s?["'${'`'}]?[\w([{][^\n]{0,120}`,
    String.raw`\bjavascript:[^\s)]{1,120}|\b(?:srcdoc|formaction|xlink:href)\s?=\s?["'][^\n]{1,120}|<(?:iframe|object|embed|base|meta)\s[^>\n]{0,40}(?:src|data|href|http-equiv)\s?=[^\n]{1,120}`,
    String.raw`\bgit\s+config\s+--(?:global|system)\s+[^\n]{1,120}`,
    String.raw`\bsecurity\s+(?:dump-keychain|find-(?:generic|internet)-password)[^\n]{0,120}`,
    // The next shell runs whatever these files contain.
    String.raw`${home}[/\\]\.(?:bashrc|bash_profile|profile|zshrc|zprofile|zshenv|gitconfig|vimrc|inputrc|tmux\.conf)\b|(?<![\w./*-])\.(?:bashrc|bash_profile|zshrc|zprofile|zshenv|profile|gitconfig)(?![\w(./-])`,
  ].join('|'),
  'g',
)
