/** Collections by path, with the prefix of their ids. */
export const collections = [
  ["/v1/agents", "agt_"],
  ["/v1/channels", "chn_"],
  ["/v1/sources", "src_"],
  ["/v1/tokens", "tok_"],
  ["/v1/webhook_endpoints", "wh_"],
  ["/v1/events", "evt_"],
  ["/v1/distill/calls", "call_"],
  ["/v1/distill/connectors", "con_"],
  ["/v1/distill/datasets", "ds_"],
  ["/v1/distill/deployments", "dep_"],
  ["/v1/distill/loops", "loop_"],
  ["/v1/distill/reports", "rpt_"],
  ["/v1/distill/rewards", "rwd_"],
  ["/v1/distill/runs", "run_"],
  ["/v1/distill/student_models", "stu_"],
  ["/v1/distill/uploads", "upl_"]
] as const
