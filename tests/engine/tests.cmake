# SPDX-License-Identifier: GPL-3.0-or-later
headscope_test(tiny_models_test engine/tiny_models_test.cpp headscope_engine
    nlohmann_json::nlohmann_json)
headscope_test(default_model_test engine/default_model_test.cpp headscope_engine headscope_formats
    nlohmann_json::nlohmann_json)
headscope_test(runs_test engine/runs_test.cpp headscope_engine nlohmann_json::nlohmann_json)
headscope_test(trace_oracle_test engine/trace_oracle_test.cpp headscope_engine
    nlohmann_json::nlohmann_json)
headscope_test(step_text_test engine/step_text_test.cpp headscope_engine)
headscope_test(views_test engine/views_test.cpp headscope_engine)
