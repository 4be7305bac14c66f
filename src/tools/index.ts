/**
 * askback/tools: asking as something a language model can call.
 */

export {
  type ActionRequest,
  type Approval,
  type ApprovalOptions,
  type Approvals,
  approve,
} from './approval/approval.js';
export {
  type ApprovedTool,
  type GatedTool,
  type RequireApprovalOptions,
  requireApproval,
} from './approval/approved.js';
export type { Grant } from './approval/grants.js';
export { type AskingToolOptions, askHumanTool } from './ask/asking-tool.js';
export { coerceChoices } from './ask/coerce-choices.js';
export { type AskHumanOptions, askHuman, type HumanTool } from './ask/human.js';
export type { AskerOption, AskPlace, AskPlaceOption, ToolCall, Unattended } from './ask-place.js';
export type { ClosedInterrupt, Interrupt, OpenInterrupt } from './interrupt.js';
export type { ToolAskOptions } from './options.js';
export type { HumanToolName } from './tool-name.js';
