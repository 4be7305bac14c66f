/**
 * English: what is said, and the words replies are read by. Every other language is read with these beside its own.
 */
import type { Language } from './language.js';
import { list, places } from './list.js';

export const english: Language = {
  locale: 'en',
  wording: {
    notUnderstood: (question, problem) => `Sorry, I didn't understand that. ${problem}\n${question}`,
    notValid: (question, problem) => `${problem}\n${question}`,
    skipped: () => "I couldn't work out an answer, so I'm skipping this step.",
    declined: () => "All right, I'll leave it.",
    refused: () => "Sorry, you can't answer this one.",
    already: (by) =>
      by?.name === undefined ? 'This was already answered.' : `This was already answered by ${by.name}.`,
    late: () => 'The time to answer this is over.',
    alreadyDeclined: () => 'This question was already declined.',
    alreadyExhausted: () => 'This question is closed, because no answer could be read.',
    alreadyCancelled: () => 'This question was cancelled.',
    alreadyWithdrawn: () => 'This question was withdrawn.',
    unknownAsk: () => 'This question is no longer open.',
    tooLong: () => 'That message is too long for me. Please send a shorter one.',
    failed: () => "Something went wrong on our side. We've been told and will look into it.",
    invalid: (problem) => problem,
    reminder: (question) => `This is still open:\n${question}`,
    voted: (yes, needed) => `Thanks, that's ${yes} yes of the ${needed} needed.`,
    votedAlready: () => 'Your vote has already been counted.',
    pickOne: (labels) => `Please pick one of: ${labels.join(', ')}.`,
    pickSeveral: (labels, least, most) => {
      const many = least === most ? `${least}` : least === 0 ? `at most ${most}` : `${least} to ${most}`;
      return `Please pick ${many} of: ${labels.join(', ')}.`;
    },
    onlyOne: () => 'Please pick only one.',
    ambiguous: (meanings) => `That could mean ${meanings.join(' or ')}.`,
    sayWhich: () => "Please say what you want, not what you don't want.",
    askedBack: () => 'That looks like a question, but I need an answer first.',
    yesOrNo: () => 'Please answer yes or no.',
    typeOther: () => 'Please write your own answer.',
    needText: () => 'Please write a few words.',
    unclear: () => 'Please answer the question.',
    tooShort: (least) => `Please write at least ${least} characters.`,
    tooLongText: (most) => `Please write at most ${most} characters.`,
    wrongPattern: (example) =>
      example === undefined ? "That doesn't look right." : `That doesn't look right. It should look like ${example}.`,
    needNumber: (example) => `Please write a number, for example ${example}.`,
    needWhole: (example) => `Please write a whole number, for example ${example}.`,
    outOfRange: (least, most) => {
      if (least === undefined) return `It must be at most ${most}.`;
      return most === undefined ? `It must be at least ${least}.` : `It must be between ${least} and ${most}.`;
    },
    needDate: (example) => `Please write the date in full, for example ${example}.`,
    noSuchDate: () => 'There is no such date.',
    needEmail: (example) => `Please write an e-mail address, for example ${example}.`,
    cannotSkip: () => "This one can't be skipped.",
    missing: (fields) => `Still missing: ${fields.join(', ')}.`,
    pickHint: () => 'Reply with a number or a label.',
    pickSeveralHint: () => 'Reply with numbers or labels, separated by commas.',
    labelHint: () => 'Reply with one of these.',
    skipHint: () => 'Reply "skip" to leave it out.',
  },
  words: {
    yes: list(`yes, y, yeah, yea, yep, yup, yess, aye, ok, okay, sure, sure thing, of course, certainly, absolutely, definitely,
      correct, that's correct, confirmed, i confirm, agreed, i agree, approved, affirmative, do it, please do, go ahead,
      go for it, yes do it, yes go ahead, yes sure, yes ok, yes okay, yes of course, yes absolutely, yes definitely,
      yes correct, yes that's correct, yes please do, ok do it, ok go ahead, okay do it, okay go ahead, 👍, ✅, ✔`),
    no: list(`no, n, nope, nah, no no, no way, never, of course not, certainly not, absolutely not, definitely not, don't, do not,
      don't do it, do not do it, no don't, no do not, negative, 👎, ❌`),
    decline: list('cancel, never mind, nevermind, /stop, /cancel'),
    skip: list('skip, skip it, skip this, leave it out, leave it empty, -'),
    none: list('none, none of them, none of these, nothing'),
    before:
      list(`please, hi, hello, hey, good morning, good afternoon, good evening, well, um, uh, hm, hmm, just, i'd like,
      i would like, i want, i'll take, i will take, i choose, i pick, i'd go with, i'll go with, i would go with, let's take,
      let's go with, go with, make it, it's, it is, my answer is, the answer is, answer, option, number, choice, the, on, at`),
    after:
      list(`please, pls, plz, thanks, thank you, thanks a lot, many thanks, thank you very much, thank you so much, thx, ty,
      cheers, then, sir, madam`),
    and: list('and, &, +, plus'),
    or: list('or, either'),
    not: list(`not, don't, dont, doesn't, isn't, can't, cannot, won't, no, never, without, except, excluding, neither, nor,
      anything but, all but, everything but, other than, instead of, rather than`),
    vague:
      list(`none, both, all, any, every, either, neither, maybe, perhaps, whatever, whichever, something, anything, everything,
      nothing, some, the one, what, which, who, why, how, when, where, whose, is, are, am, was, be, do, does, did, done, can, could,
      should, would, will, must, have, has, had, i, me, my, you, your, he, him, she, her, it, its, we, they, them, ye, this,
      that, these, those, here, there, the, a, an, to, in, of, for, from, with, by, as, so, but, if, then, than, too, also, only,
      even, still, again, same, more, much, very, really, right, alright, wait, hold on, stop, help, back, undo, later, sorry,
      oops, good, great, nice, fine, cool, perfect, lol, haha, wow, huh, idk, dunno, unsure, depends`),
    numbers:
      list(`zero, one, two, three, four, five, six, seven, eight, nine, ten, eleven, twelve, thirteen, fourteen, fifteen,
      sixteen, seventeen, eighteen, nineteen, twenty`),
    ordinals: places('first; second; third; fourth; fifth; sixth; seventh; eighth; ninth; tenth; eleventh; twelfth'),
    last: ['last'],
    placeNouns: list('one, option, choice, answer'),
    beforePlace: list(
      "option, number, choice, answer, hi, hello, hey, well, i choose, i pick, go with, let's go with, my answer is, the answer is",
    ),
    beforeDigits: list("the, it's, it is"),
    ordinalEndings: ['st', 'nd', 'rd', 'th'],
    months: places(`january, jan; february, feb; march, mar; april, apr; may; june, jun; july, jul; august, aug;
      september, sep, sept; october, oct; november, nov; december, dec`),
    am: ['am', 'a.m.'],
    pm: ['pm', 'p.m.'],
    decimal: '.',
  },
};
