import torch

from agentgym.policies.torch.network import Network


def test_decoding_leaves_out_the_attention_that_plans_for_each_shape(make_model):
    uses_cudnn = torch.backends.cuda.cudnn_sdp_enabled()
    with Network(make_model("llama"), 0).decoding():
        assert not torch.backends.cuda.cudnn_sdp_enabled()
        assert torch.backends.cuda.mem_efficient_sdp_enabled()
    assert torch.backends.cuda.cudnn_sdp_enabled() == uses_cudnn
