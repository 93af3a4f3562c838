"""Batched forms: functions of one lane that run on the values of all lanes at once (docs/design/lanes.md)."""
