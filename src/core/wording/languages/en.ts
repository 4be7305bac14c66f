/**
 * English: what is said, and the words replies are read by. Names the sentences of every language; the words are understood beside those of
 * every language.
 */
import type { LanguageData } from '../data.js';

export const en = {
  locale: 'en',
  notation: {
    decimal: '.',
    thousands: ',',
    dayParts: [
      ['am', 0, 11],
      ['pm', 12, 23],
    ],
  },
  sentences: {
    /** The reply was not understood: the question is asked again. */
    notUnderstood: "Sorry, I didn't understand that. {problem}\n{question}",
    /** The reply was understood, but is not valid: the question is asked again. */
    notValid: '{problem}\n{question}',
    /** The last attempt failed, and the step is skipped. */
    skipped: "I couldn't work out an answer, so I'm skipping this step.",
    /** The participant called the question off. */
    declined: "All right, I'll leave it.",
    /** A participant who may not answer pressed a button or used a link. Reveals nothing about the ask. */
    refused: "Sorry, you can't answer this one.",
    /** A reply from a place where the question is too long to be shown in full. */
    notShown: "This is too long to be shown here in full, so it can't be answered here. Please answer it on its page.",
    /** A reply by mail to an ask that mail cannot decide. */
    notByMail:
      'This question cannot be answered by mail. If the mail with the question has a link, please answer it there.',
    /** A reply that contains nothing written by its author: only a file, a quote, struck-out text or the text of a program. */
    nothingWritten:
      "That message has no text of yours that can be an answer. Files, quotes, struck-out text and automatic messages don't count: please write your answer.",
    /** A reply to an ask that has an answer already. `by` is given only to participants who may answer it. */
    already: ['This was already answered by {by}.', 'This was already answered.'],
    /** A reply to an ask that expired. */
    late: 'The time to answer this is over.',
    /** A reply to an ask that was declined. */
    alreadyDeclined: 'This question was already declined.',
    /** A reply to an ask whose attempts were used up. */
    alreadyExhausted: 'This question is closed, because no answer could be read.',
    /** A reply to an ask that was cancelled. */
    alreadyCancelled: 'This question was cancelled.',
    /** A reply to an ask that reached nobody, or that the agent has withdrawn. */
    alreadyWithdrawn: 'This question was withdrawn.',
    /** A reply to an ask that is not known in this conversation, or no longer. */
    unknownAsk: "I can't find this question here.",
    /** The message is longer than `settings.textBytes`. */
    tooLong: 'That message is too long for me. Please send a shorter one.',
    /** A turn failed for good. It is parked, and an operator sees it. */
    failed: "Something went wrong on our side. We've been told and will look into it.",
    /** An answer by button that does not fit. */
    invalid: '{problem}',
    /** The question is shown again because it has no answer yet. */
    reminder: 'This is still open:\n{question}',

    /** Stands before a question that was handed over, for its new recipient. `reason` is the note of `by`, on one line. */
    handedToYou: [
      '{by} hands this to you: “{reason}”\n{question}',
      '{by} hands this to you.\n{question}',
      'Somebody hands this to you: “{reason}”\n{question}',
      'Somebody hands this to you.\n{question}',
    ],
    /** Confirms to the participant that they handed the question over. */
    handedOver: 'You handed this over to {to}.',
    /** Not handed over: the recipient is named by something other than an id. */
    handOverNeedsId:
      'Give the id of a person as their channel has it, such as web:4711 or slack:T1/U1, and not a name.',
    /** Not handed over: the recipient is the participant. */
    handOverToSelf: 'You cannot hand a question over to yourself.',
    /** Not handed over: the recipient is the person for whom the question is asked. */
    handOverToAsker: 'A question cannot be handed over to the person it is asked for.',
    /** Not handed over: the recipient's tenant is another one or unknown. One sentence for both, so that it reveals no ids of other tenants. */
    handOverOutsideTenant:
      'This person is not known to belong to the tenant of the question, so they are not shown it. Hand it over to somebody who is, or have their tenant added.',
    /** Not handed over: the channel does not know the id, or the recipient may not answer there. */
    handOverToUnknown:
      'Nobody is known by this id who may answer here. Check the id, or hand the question over to somebody else.',
    /** Not handed over: the channel cannot be reached to look the recipient up. */
    handOverNotNow:
      'It cannot be looked up right now who has this id, so nothing was handed over. Please try again in a few minutes.',
    /** Not handed over: the recipient has handed the question over. */
    handOverBack: 'This person has handed the question over before.',
    /** Not handed over: the recipient has voted. */
    handOverToVoter: 'This person has voted already.',
    /** Not handed over: after that, too few people could agree. */
    handOverTooFew:
      '{needed} people must agree, and after this only {left} could. Hand it over to somebody who may not answer yet.',
    /** Not handed over: the limit is reached. */
    handOverTooOften: 'A question can be handed over at most {most} times.',

    /** Confirms a vote: `yes` of the `needed` votes agree. */
    voted: "Thanks, that's {yes} yes of the {needed} needed.",
    /** A second vote of the same participant. */
    votedAlready: 'Your vote has already been counted.',

    /** The reply names none of the options. */
    pickOne: 'Please pick one of: {labels}.',
    /** The reply does not name as many options as may be picked: `exactly`, `atMost`, or from `least` to `most`. */
    pickSeveral: [
      'Please pick {exactly|1=one|other=#} of: {labels}.',
      'Please pick at most {atMost|1=one|other=#} of: {labels}.',
      'Please pick {least} to {most} of: {labels}.',
    ],
    /** The reply names several options where one may be picked. */
    onlyOne: 'Please pick only one.',
    /** The reply fits more than one option, number or date. */
    ambiguous: 'That could mean {meanings| or }.',
    /** The reply says what is not wanted. */
    sayWhich: "Please say what you want, not what you don't want.",
    /** The reply is a question itself. */
    askedBack: 'That looks like a question, but I need an answer first.',
    /** The reply to a confirm is neither yes nor no. */
    yesOrNo: 'Please answer yes or no.',
    /** Asks for the free answer to a choice. */
    typeOther: 'Please write your own answer.',

    /** The reply has no words. */
    needText: 'Please write a few words.',
    /** The reply was judged not to answer the question. */
    unclear: 'Please answer the question.',
    /** The text is too short: `least` is its least number of characters. */
    tooShort: 'Please write at least {least|one=# character|other=# characters}.',
    /** The text is too long: `most` is its largest number of characters. */
    tooLongText: 'Please write at most {most|one=# character|other=# characters}.',
    /** The text does not match the pattern of the question. */
    wrongPattern: ["That doesn't look right. It should look like {example}.", "That doesn't look right."],
    /** The reply is no number. */
    needNumber: 'Please write a number, for example {example}.',
    /** The reply is no whole number. */
    needWhole: 'Please write a whole number, for example {example}.',
    /** The number is too small or too large. There may be a limit on one side only. */
    outOfRange: [
      'It must be between {least} and {most}.',
      'It must be at least {least}.',
      'It must be at most {most}.',
    ],
    /** The date is too early or too late. There may be a limit on one side only. */
    outOfDates: [
      'The date must be between {earliest} and {latest}.',
      'The date must not be before {earliest}.',
      'The date must not be after {latest}.',
    ],
    /** The reply is no date. */
    needDate: 'Please write the date in full, for example {example}.',
    /** The reply is a date that does not exist. */
    noSuchDate: 'There is no such date.',
    /** The reply is no email address. */
    needEmail: 'Please write an e-mail address, for example {example}.',

    /** The reply skips a field that is required. */
    cannotSkip: "This one can't be skipped.",
    /** The texts of the fields of a form that need an answer. */
    missing: 'Still missing: {fields}.',

    /** The line below the options, on channels without buttons. */
    pickHint: 'Reply with a number or a label.',
    /** The line below the options of which several may be picked. */
    pickSeveralHint: 'Reply with numbers or labels, separated by commas.',
    /** The line below options that are numbers themselves: there a position in the list would be ambiguous. */
    labelHint: 'Reply with one of these.',
    /** The line below a field that may be skipped. */
    skipHint: 'Reply "skip" to leave it out.',

    /** The label of "yes" in a confirm, unless the author gave one. */
    yes: 'Yes',
    /** The label of "no" in a confirm, unless the author gave one. */
    no: 'No',
    /** The label of the free answer to a choice. */
    other: 'Other',

    /** Asks whether a model may use a tool, unless the author gave a question. */
    allow: 'Allow {tool}?',
    /** The label that approves an action. */
    approve: 'Approve',
    /** The label that denies an action. */
    deny: 'Deny',
    /** The label that approves an action once. */
    once: 'Once',
    /** The label that approves an action for the session. */
    forSession: 'For this session',
    /** Confirms an approval to the approver. */
    approved: ['Approved{how|once=, just this once|session= for this session}.', 'Approved.'],
    /** Confirms a denial to the approver. */
    denied: "Denied. It won't be done.",
    /** The name of the detail with the tool that a model calls. */
    tool: 'Tool',
    /** The name of the detail with the arguments of the call. */
    arguments: 'Arguments',
    /** The name of the detail with the text of a model beside its question. */
    details: 'Details',
    /** The heading of several questions of a model that gave none. */
    severalQuestions: 'Please answer these questions.',
    /** The name of the only field of a form. */
    answer: 'Answer',
    /** Shown to the user of a model while it waits for a person. */
    asking: 'A person has been asked',

    /** The button that opens a form for the answer, and the heading of that form. */
    answerButton: 'Answer',
    /** The button that sends what was picked or filled in. */
    sendButton: 'Send',
    /** The button that closes a form and sends nothing. */
    cancelButton: 'Cancel',
    /** The button that opens the page of an ask. */
    openPageButton: 'Open the page',
    /** Shown in a list of options before one is picked. */
    pickPlaceholder: 'Pick one',
    /** Shown in a list of options before some are picked. */
    pickSeveralPlaceholder: 'Pick',
    /** The label of the input for the time of day, beside the input for the date of the same field. */
    timeOf: '{field} (time)',
    /** The line below a question with a deadline. `time` is written as the channel writes times. */
    openUntil: 'Open until {time}',
    /** The line below a question that several people decide: `given` of the `needed` votes were cast. */
    votesSoFar: '{given} of {needed} votes',
    /** The line below a question with a secret answer, where other people can read the replies. */
    secretHint: 'Use the button: what is written in a channel is seen by everybody in it.',
    /** Replaces the controls of a question that is too long to be shown in full. */
    tooLongHere: 'This is too long to be shown here in full, so it has no buttons here.',
    /** Replaces the controls of a question whose answer no control can carry. */
    replyHint: 'This cannot be answered by a button here. Write the answer as a reply.',
    /** The line below a question that is over: how it ended and, if known, who decided it. */
    ended: [
      '{how|answered=Answered|declined=Declined|cancelled=Cancelled} by {by}',
      '{how|answered=Answered|declined=Declined|cancelled=Cancelled|expired=Expired|exhausted=Closed without an answer}',
    ],
    /** Replaces a blank text. */
    noText: '(no text)',

    /** The first line of a mail that a reply answers. Text below it is not read. */
    replyAbove: 'Please reply above this line',
    /** Below a question in a mail that a reply answers. */
    mailReply: 'To answer, reply to this mail with your answer only.',
    /** To the author of one mail that replies to several questions. */
    mailTwoAsks:
      'Your mail goes to more than one question, so nothing was decided. Please reply to each question by itself.',
    /** Below a question in a mail that a reply or the page answers: stands before the link. */
    mailOrPage: 'Or open the page to answer there.',
    /** Below a question in a mail that only the page answers: stands before the link. */
    mailPage: 'To answer, open the page. A reply to this mail does not answer the question.',
    /** Below a question with a secret answer: stands before the link. A reply would decide it, but the mail does not ask for one. */
    mailOpenPage: 'To answer, open the page.',
    /** Below a question in a mail that gives no way to answer it. */
    mailNoAnswer: 'This mail is for your information: neither it nor a reply to it can answer the question.',
    /** Below the link in a mail. */
    mailLinkIsYours: 'The link is for you: please do not forward this mail.',
    /** Below a question with a secret answer, in a mail with a link to the page. */
    mailSecret: 'Please do not write the answer in a mail: others may be able to read it.',
  },
  words: {
    yes: `yes, y, yeah, yea, yep, yup, yess, sure, sure thing, for sure, of course, certainly, absolutely, definitely,
      by all means, correct, that's correct, that is correct, confirmed, i confirm, agreed, i agree, approved,
      affirmative, do it, do that, please do, go ahead, please go ahead, go for it, ✅, ✔`,
    weakYes: `ok, okay, okey, alright, all right, fine, fine by me, fine with me, ok by me, ok with me, sounds good,
      works for me, that's fine, that is fine, 👍`,
    no: `no, n, nope, nah, no way, never, of course not, certainly not, absolutely not, definitely not, by no means,
      don't, do not, don't do it, do not do it, don't do that, do not do that, don't go ahead, do not go ahead,
      no i don't, no it isn't, no sorry, sorry no, thanks but no thanks, no need, no need to, not needed,
      i'd rather not, i would rather not, rather not, better not, i don't want that, i don't want it, 👎, ❌, "no, sorry",
      "sorry, no"`,
    emphatic: 'yes, no, 👍, 👎, ✅, ❌',
    approve: `yes, y, yep, yup, yeah, of course, certainly, absolutely, definitely, go ahead, please go ahead, do it,
      please do, confirmed, i confirm, approved, ✅, ✔, approve, approve it, approve this, i approve, i approve it,
      i approve this, allow, allow it, allow this, i allow it, allowed, allow once, accept, accepted, i accept,
      permit it, permitted, granted, authorize, authorize it, i authorize it, authorized, authorise, authorise it,
      i authorise it, authorised, proceed, please proceed, just once, only once, just this once, only this once`,
    deny: `deny, deny it, deny this, i deny, i deny it, denied, reject, reject it, i reject it, rejected, refuse,
      i refuse, refused, disapprove, i disapprove, disallow, disallow it, forbid it, forbidden, block it, not allowed,
      decline, i decline, declined, not approved, not authorized, not authorised, don't allow, don't allow it,
      do not allow, do not allow it, don't approve, don't approve it, do not approve, do not approve it,
      i don't approve, i don't approve it, i do not approve, i do not approve it, i don't allow it, i do not allow it`,
    asks: `shall i, shall we, should i, should we, may i, may we, do you want to, do you want me to, do you want us to,
      would you like to, would you like me to, would you like us to`,
    decline: `cancel, never mind, nevermind, forget it, forget about it, stop, stop asking, abort, leave me alone,
      i don't want to answer, i don't want to answer that, i don't want to answer this, i'd rather not say,
      i would rather not say, i'd rather not answer, i would rather not answer, /stop, /cancel`,
    why: `why, why that, why this, why is that, what for, for what, how come, why does it matter, why should i tell you,
      why should i tell you that, why do you ask, why do you ask that, why are you asking, why are you asking me,
      why do you need it, why do you need that, why do you need this, why do you need to know,
      why do you need to know that, why do you need this information, why would you need it, why would you need that,
      why would you need this, why would you need to know, why would you need to know that,
      why would you need this information, why do you want it, why do you want that, why do you want this,
      why do you want to know, why do you want to know that, why do you want this information, what is it for,
      what is that for, what is this for, what's it for, what's that for, what's this for, what do you need it for,
      what do you need that for, what do you need this for, why is it needed, why is that needed, why is this needed,
      why is it necessary, why is that necessary, why is this necessary`,
    skip: 'skip, skip it, skip this, leave it out, leave it empty, -',
    none: 'none, none of them, none of these, nothing, no thanks, no thank you',
    please: 'please, pls, plz',
    greetings: `hi, hello, hi there, hello there, hey, hi all, hello all, hi team, hello team, hi everyone,
      hello everyone, dear sir, dear madam, dear sir or madam, dear all, good morning, good afternoon, good evening`,
    closings: `best regards, kind regards, kindest regards, warm regards, warmest regards, many regards,
      with best regards, with kind regards, regards, best wishes, sincerely, sincerely yours, yours sincerely,
      yours truly, yours faithfully`,
    thanks: `thanks, thank you, thanks a lot, many thanks, thank you very much, thank you so much, thx, ty,
      thanks in advance, thanks for asking, thanks for checking, thank you for asking, thank you in advance,
      much appreciated, cheers, 🙏`,
    chooses: `i'd like, i would like, i want, i'll take, i will take, i'll have, i take, i choose, i pick, i'd go with,
      i'll go with, i would go with, let's take, let's go with, go with, make it, give me, my answer is, the answer is,
      my choice is, answer, i prefer, i'd prefer`,
    articles: 'the',
    numberNouns: 'option, number, no., choice, answer, the, the number, item',
    placeNouns: 'one, option, choice, answer, item',
    ordinals: 'first; second; third; fourth; fifth; sixth; seventh; eighth; ninth; tenth; eleventh; twelfth',
    ordinalEndings: 'st, nd, rd, th',
    numbers: `zero; one; two; three; four; five; six; seven; eight; nine; ten; eleven; twelve; thirteen; fourteen;
      fifteen; sixteen; seventeen; eighteen; nineteen; twenty`,
    and: 'and, &, +, plus',
    or: 'or, either',
    not: `not, don't, dont, doesn't, isn't, can't, cannot, won't, no, never, without, except, excluding, neither, nor,
      none, nothing, but, unless, only, anything but, all but, everything but, other than, instead of, rather than, if,
      when, denied, free, zero`,
    talk: `both, all, any, every, maybe, perhaps, whatever, whichever, something, anything, everything, some, one, what,
      which, who, why, how, when, where, whose, is, are, am, was, be, do, does, did, done, can, could, should, would,
      will, must, may, might, have, has, had, i, me, my, you, your, he, him, she, her, it, its, we, they, them, ye,
      this, that, these, those, here, there, to, in, of, on, at, for, from, with, by, as, so, if, then, than, too, also,
      even, still, again, same, more, much, very, really, right, well, just, wait, hold, stop, help, back, undo, later,
      sorry, oops, good, great, nice, cool, perfect, lol, haha, wow, huh, idk, dunno, unsure, depends, please, thanks,
      first, last, once, now, let, let's, got, get, moment, minute, second, damn, gosh, check, yo`,
    numberLeads: `it's, it is, my answer is, the answer is, answer, number, i'd like, i would like, i want, i'll take,
      i need, just, only, exactly, we are, we're, we will be, we'll be, there are, there will be, it was, it will be,
      it'll be, make it`,
    counts: 'how many',
    dateLeads: "on, on the, the, it's, it is, it's on, it's the, my answer is, the answer is, answer",
    timeLeads: 'at',
    months: `january, jan; february, feb; march, mar; april, apr; may; june, jun; july, jul; august, aug; september,
      sep, sept; october, oct; november, nov; december, dec`,
    unlikeEnglish: '',
  },
} satisfies LanguageData;
