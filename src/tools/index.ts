/**
 * askback/tools: asking as something a language model can call.
 */
export { coerceChoices } from '../answers/coerce.js';
export { type Approval, type ApprovalOptions, type Approvals, approve } from './approval.js';
export { type ApprovedTool, type RequireApprovalOptions, requireApproval } from './approved.js';
export { type AskingToolOptions, askHumanTool } from './asking-tool.js';
export type { Grant } from './grants.js';
export { type AskHumanOptions, askHuman, type HumanTool } from './human.js';
export type { Interrupt } from './interrupt.js';
export type { AskPlace, ToolCall, Unattended } from './place.js';
