"""A simulator of a front desk with an encoder, and of doors that go by what stands on cards."""
