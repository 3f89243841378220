import type { Command } from '@commander-js/extra-typings'
import type { Io } from '../terminal/io.js'
import { collect, example } from './arguments.js'
import { projectText } from './shared-options.js'

/** Commands for using a skill or somebody else's project. */
export function addUseCommands(program: Command, io: Io, done: (code: number) => void): void {
  program
    .command('install')
    .summary('install a skill for Claude Code, Codex and other agents')
    .description(
      'Installs a skill where coding agents read it: for the current project, or for all projects with --user.',
    )
    .argument(
      '[skill]',
      'a skill file, a folder with a SKILL.md, a run, or RUN@VERSION (default: the newest finished run)',
    )
    .option(
      '--to <agent>',
      'claude-code, codex, cursor, copilot, opencode, gemini, qwen-code or pi; comma-separated or repeated',
      collect,
    )
    .option('--project [dir]', 'install for this project (default: the current folder)')
    .option('--user', 'install for all of your projects')
    .option('--name <name>', 'the name of the skill (default: its own, or one made from its heading)')
    .option(
      '--description <text>',
      'what it does and when to use it (default: its own, or its first paragraph)',
    )
    .option(
      '--with-folder [dir]',
      'also copy scripts/, references/ and assets/ from beside the skill, or from <dir>',
    )
    .option(
      '--force',
      'replace another skill of that name (--undo restores it); with --undo, drop later changes',
    )
    .option('--allow-hidden', 'install a skill with hidden text, such as HTML comments')
    .option('--undo', 'restore what was there before the installation')
    .option('--dry-run', 'only show what would be done')
    .option('--json', 'print the result as JSON')
    .addHelpText(
      'after',
      example(
        'skillopt install --to claude-code,codex',
        'skillopt install my-skill-001 --to claude-code',
        'skillopt install best_skill.md --to cursor --user --name pdf-tables',
        'skillopt install --undo --to claude-code',
      ),
    )
    .action(async (skill, flags) =>
      done(await (await import('../commands/install/install.js')).install(io, skill, flags)),
    )

  program
    .command('trust')
    .summary('trust the code, hosts and files that a project names')
    .description(
      'Shows what the config of a project may do on this machine (run code, send keys to hosts, use files outside its folder) and remembers that you trust it. Runs nothing. Projects made by `skillopt init` on this machine are already trusted.',
    )
    .argument('[project]', projectText)
    .option('--config <file>', 'use this config file instead of the one in the project')
    .option('--always', 'stay trusted after changes (default: ask again when it changes)')
    .option('--remove', 'stop trusting it')
    .option('--yes', 'trust what is shown, without asking')
    .addHelpText('after', example('skillopt trust cloned-skill', 'skillopt trust cloned-skill --remove'))
    .action(async (project, flags) =>
      done(await (await import('../commands/project/trust.js')).trustProject(io, project, flags)),
    )
}
