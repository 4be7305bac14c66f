/**
 * English: the words replies are read by; what is said stands in wording.ts. Every other language is read with these beside its own.
 */

import type { Language } from './language.js';
import { list, pairs, places } from './list.js';
import { englishWording } from './wording.js';

/** The English language: sentences and words. */
export const english: Language = {
  locale: 'en',
  wording: englishWording,
  words: {
    yes: list(`yes, y, yeah, yea, yep, yup, yess, sure, sure thing, for sure, of course, certainly, absolutely,
      definitely, by all means, correct, that's correct, that is correct, confirmed, i confirm, agreed, i agree,
      approved, affirmative, do it, do that, please do, go ahead, please go ahead, go for it, ✅, ✔`),
    weakYes: list(`ok, okay, okey, alright, all right, fine, fine by me, fine with me, ok by me, ok with me,
      sounds good, works for me, that's fine, that is fine, 👍`),
    no: [
      ...list(`no, n, nope, nah, no way, never, of course not, certainly not, absolutely not, definitely not,
      by no means, don't, do not, don't do it, do not do it, don't do that, do not do that, don't go ahead,
      do not go ahead, no i don't, no it isn't, no sorry, sorry no, thanks but no thanks, no need, no need to, not needed, i'd rather not,
      i would rather not, rather not, better not, i don't want that, i don't want it, 👎, ❌`),
      'no, sorry',
      'sorry, no',
    ],
    emphatic: list(`yes, no, 👍, 👎, ✅, ❌`),
    approve: list(`yes, y, yep, yup, yeah, of course, certainly, absolutely, definitely, go ahead, please go ahead,
      do it, please do, confirmed, i confirm, approved, ✅, ✔, approve, approve it, approve this, i approve,
      i approve it, i approve this, allow, allow it, allow this, i allow it, allowed, allow once, accept, accepted, i accept, permit it, permitted, granted,
      authorize, authorize it, i authorize it, authorized, authorise, authorise it, i authorise it, authorised, proceed,
      please proceed, just once, only once, just this once, only this once`),
    deny: list(`deny, deny it, deny this, i deny, i deny it, denied, reject, reject it, i reject it, rejected, refuse,
      i refuse, refused, disapprove, i disapprove, disallow, disallow it, forbid it, forbidden, block it, not allowed,
      decline, i decline, declined, not approved, not authorized, not authorised, don't allow, don't allow it, do not allow, do not allow it,
      don't approve, don't approve it, do not approve, do not approve it, i don't approve, i don't approve it,
      i do not approve, i do not approve it, i don't allow it, i do not allow it`),
    asks: list(`shall i, shall we, should i, should we, may i, may we, do you want to, do you want me to, do you want us to,
      would you like to, would you like me to, would you like us to`),
    decline: list(`cancel, never mind, nevermind, forget it, forget about it, stop, stop asking, abort, leave me alone,
      i don't want to answer, i don't want to answer that, i don't want to answer this, i'd rather not say,
      i would rather not say, i'd rather not answer, i would rather not answer, /stop, /cancel`),
    why: [
      ...list(`why, why that, why this, why is that, what for, for what, how come, why does it matter, why should i tell you,
        why should i tell you that, why do you ask, why do you ask that, why are you asking, why are you asking me`),
      ...pairs(
        'why do you need, why would you need, why do you want',
        'it, that, this, to know, to know that, this information',
      ),
      ...pairs("what is, what's, what do you need", 'it for, that for, this for'),
      ...pairs('why is', 'it needed, that needed, this needed, it necessary, that necessary, this necessary'),
    ],
    skip: list('skip, skip it, skip this, leave it out, leave it empty, -'),
    none: list('none, none of them, none of these, nothing, no thanks, no thank you'),
    please: list(`please, pls, plz`),
    greetings:
      list(`hi, hello, hi there, hello there, hey, hi all, hello all, hi team, hello team, hi everyone, hello everyone, dear sir, dear madam, dear sir or madam, dear all,
      good morning, good afternoon, good evening`),
    closings:
      list(`best regards, kind regards, kindest regards, warm regards, warmest regards, many regards, with best regards,
      with kind regards, regards, best wishes, sincerely, sincerely yours, yours sincerely, yours truly, yours faithfully`),
    thanks: list(`thanks, thank you, thanks a lot, many thanks, thank you very much, thank you so much, thx, ty,
      thanks in advance, thanks for asking, thanks for checking, thank you for asking, thank you in advance, much appreciated, cheers, 🙏`),
    chooses: list(`i'd like, i would like, i want, i'll take, i will take, i'll have, i take, i choose, i pick,
      i'd go with, i'll go with, i would go with, let's take, let's go with, go with, make it, give me, my answer is,
      the answer is, my choice is, answer, i prefer, i'd prefer`),
    articles: ['the'],
    numberNouns: list('option, number, no., choice, answer, the, the number, item'),
    placeNouns: list('one, option, choice, answer, item'),
    ordinals: places('first; second; third; fourth; fifth; sixth; seventh; eighth; ninth; tenth; eleventh; twelfth'),
    ordinalEndings: ['st', 'nd', 'rd', 'th'],
    numbers: places(`zero; one; two; three; four; five; six; seven; eight; nine; ten; eleven;
      twelve; thirteen; fourteen; fifteen; sixteen; seventeen; eighteen; nineteen; twenty`),
    and: list('and, &, +, plus'),
    or: list('or, either'),
    not: list(`not, don't, dont, doesn't, isn't, can't, cannot, won't, no, never, without, except, excluding, neither,
      nor, none, nothing, but, unless, only, anything but, all but, everything but, other than, instead of, rather than,
      if, when, denied, free, zero`),
    talk: list(`both, all, any, every, maybe, perhaps, whatever, whichever, something, anything, everything, some, one,
      what, which, who, why, how, when, where, whose, is, are, am, was, be, do, does, did, done, can, could, should,
      would, will, must, may, might, have, has, had, i, me, my, you, your, he, him, she, her, it, its, we, they, them,
      ye, this, that, these, those, here, there, to, in, of, on, at, for, from, with, by, as, so, if, then, than, too,
      also, even, still, again, same, more, much, very, really, right, well, just, wait, hold, stop, help, back, undo,
      later, sorry, oops, good, great, nice, cool, perfect, lol, haha, wow, huh, idk, dunno, unsure, depends, please,
      thanks, first, last, once, now, let, let's, got, get, moment, minute, second, damn, gosh, check, yo`),
    numberLeads: list(`it's, it is, my answer is, the answer is, answer, number, i'd like, i would like, i want,
      i'll take, i need, just, only, exactly, we are, we're, we will be, we'll be, there are, there will be, it was, it will be, it'll be, make it`),
    counts: list('how many'),
    dateLeads: list(`on, on the, the, it's, it is, it's on, it's the, my answer is, the answer is, answer`),
    timeLeads: list('at'),
    months: places(`january, jan; february, feb; march, mar; april, apr; may; june, jun; july, jul; august, aug;
      september, sep, sept; october, oct; november, nov; december, dec`),
    dayParts: [
      ['am', 0, 11],
      ['pm', 12, 23],
    ],
    decimal: '.',
    unlikeEnglish: [],
  },
};
