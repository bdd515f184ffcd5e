// SPDX-License-Identifier: GPL-3.0-or-later
#include "attention_cases.h"
#include "isas.h"
#include "kernels/attention.h"
#include "tests/support/threads.h"

using support::Shape;

namespace {

class Cpu {
  public:
    Cpu(int isa, const Shape& shape) : trace_(shape, 3) {
        kernels::cpu::force_isa(static_cast<kernels::cpu::Isa>(isa));
    }
    const kernels::TraceView& host_view() const { return trace_.view(); }
    double z_allowed() const { return 1e-5; }
    double least_z() const { return 0; }
    void fill(std::int64_t begin, std::int64_t end, unsigned seed, float spread) {
        trace_.fill(begin, end, seed, spread);
    }
    // With scratch of exactly the asked size, poisoned, and a guard behind it.
    std::vector<float> attend(const kernels::ScoreRule& rule, std::int64_t begin, std::int64_t end,
                              int threads = 3) {
        const kernels::TraceView& view = trace_.view();
        kernels::AttendArgs args;
        args.trace = view;
        args.rule = rule;
        args.begin = begin;
        args.end = end;
        const float nan = std::numeric_limits<float>::quiet_NaN(), guard = 1234.5f;
        std::vector<float> z(
            static_cast<std::size_t>((end - begin) * view.query_heads * view.head_dim), nan);
        const auto floats = static_cast<std::size_t>(kernels::cpu::attend_scratch(args, threads));
        std::vector<float> scratch(floats + 16, nan);
        std::fill(scratch.begin() + static_cast<std::ptrdiff_t>(floats), scratch.end(), guard);
        args.z_out = z.data();
        args.scratch = scratch.data();
        kernels::cpu::attend(args, support::on_threads(threads));
        for (std::size_t i = floats; i < scratch.size(); ++i)
            if (scratch[i] != guard) qFatal("attend wrote behind its scratch");
        return z;
    }

  private:
    support::PagedTrace trace_;
};

template <typename Add>
void on_all(Add&& add) {
    for (auto isa : available_isas()) add(kernels::cpu::isa_name(isa), static_cast<int>(isa));
}

}  // namespace

class TestAttention : public QObject {
    Q_OBJECT
  private slots:
    void cleanup() { kernels::cpu::force_isa(available_isas().back()); }

    void prefill_data() {
        add_shape_columns();
        on_all([](const char* name, int isa) { add_shapes(name, isa, 20, 200); });
    }
    void prefill() { test_shape<Cpu>(); }

    void rules_data() {
        add_rule_columns();
        on_all(add_rules);
    }
    void rules() {
        test_rule<Cpu>([](Cpu&, const kernels::ScoreRule&) {});
    }

    void forbidden_data() {
        add_forbidden_columns();
        on_all(add_forbidden);
    }
    void forbidden() { test_forbidden<Cpu>(); }

    void negativeControls_data() { add_faults(); }
    void negativeControls() { test_fault<Cpu>(static_cast<int>(available_isas().back())); }

    void chunks_data() {
        add_chunk_columns();
        on_all(add_chunks);
    }
    void chunks() { test_chunks<Cpu>(); }

    void split_data() {
        QTest::addColumn<int>("where");
        QTest::addColumn<int>("threads");
        QTest::addColumn<int>("group");
        QTest::addColumn<int>("last");  // rows of the step
        QTest::addColumn<int>("window");
        for (auto isa : available_isas())
            for (int threads : {1, 2, 5, 16})
                for (int group : {1, 3, 8})
                    for (int last : {1, 2, 5})
                        for (int window : {0, 600})
                            QTest::addRow("%s threads=%d group=%d rows=%d window=%d",
                                          kernels::cpu::isa_name(isa), threads, group, last, window)
                                << static_cast<int>(isa) << threads << group << last << window;
    }
    // Keys split over threads, with sinks added once and not per split.
    void split() {
        QFETCH(int, where);
        QFETCH(int, threads);
        QFETCH(int, group);
        QFETCH(int, last);
        QFETCH(int, window);
        const Shape shape{64, group, 1, 32, 1301};
        Cpu cpu(where, shape);
        cpu.fill(0, shape.rows, 5, 2);
        const std::vector<float> sinks(static_cast<std::size_t>(group), 1.5f);
        const kernels::ScoreRule rule = rule_of(shape, 0, window, sinks.data());
        const auto z = cpu.attend(rule, shape.rows - last, shape.rows, threads);
        (void)within(attention_errors(cpu, rule, shape.rows - last, shape.rows, z));
    }

    void largeScores() {
        for (auto isa : available_isas())
            if (!large_scores_fit<Cpu>(static_cast<int>(isa))) return;
    }
};

QTEST_APPLESS_MAIN(TestAttention)
#include "test_attention.moc"
