// SPDX-License-Identifier: GPL-3.0-or-later
#include "attention_cases.h"
#include "cuda_trace.h"
#include "kernels/cuda/attention.h"

using kernels::Element;
using support::Shape;

namespace {

// A chunk of one row goes by the decode kernel, else by the prompt's.
class Cuda {
  public:
    Cuda(int element, const Shape& shape) : trace_(shape, static_cast<Element>(element), 3) {
        split(3);
    }
    CudaTrace& trace() { return trace_; }
    const kernels::TraceView& host_view() const { return trace_.host_view(); }
    double z_allowed() const { return z_tolerance(trace_.element()); }
    // fp16 counts in steps of 2⁻²⁴ where a huge sink leaves next to nothing.
    double least_z() const { return trace_.element() == Element::F16 ? 0x1p-25 : 0; }
    void fill(std::int64_t begin, std::int64_t end, unsigned seed, float spread) {
        trace_.fill(begin, end, seed, spread);
    }
    std::vector<float> attend(const kernels::ScoreRule& rule, std::int64_t begin,
                              std::int64_t end) {
        if (end - begin == 1 && begin > 0) return step(rule, begin, false).z;
        const kernels::TraceView view = trace_.view();
        DeviceBuffer<std::byte> z(
            static_cast<std::size_t>((end - begin) * view.query_heads * view.head_dim) *
            size_of(view.element));
        kernels::cuda::attend({view, on_device(rule), begin, end, z.data()}, nullptr);
        trace_.download();
        return from_elements(view.element, z.download());
    }

    // Steps from here on: with scratch of so many splits.
    void split(int splits) {
        splits_ = splits;
        scratch_ = std::make_unique<DeviceBuffer<std::byte>>(
            static_cast<std::size_t>(kernels::cuda::step_scratch(trace_.view(), splits)), 0);
    }
    struct Stepped {
        std::vector<float> z, scores;
    };
    Stepped step(const kernels::ScoreRule& rule, std::int64_t dest, bool with_scores) {
        const kernels::TraceView view = trace_.view();
        DeviceBuffer<std::byte> z(static_cast<std::size_t>(view.query_heads * view.head_dim) *
                                  size_of(view.element));
        DeviceBuffer<float> scores(static_cast<std::size_t>(view.query_heads * (dest + 1)));
        const DeviceBuffer<std::int64_t> position(std::vector<std::int64_t>{dest});
        kernels::cuda::StepArgs args;
        args.trace = view;
        args.rule = on_device(rule);
        args.dest = position.data();
        args.z_out = z.data();
        args.scores = with_scores ? scores.data() : nullptr;
        args.scores_stride = dest + 1;
        args.scratch = scratch_->data();
        args.splits = splits_;
        kernels::cuda::attend_step(args, nullptr);
        trace_.download();
        return {from_elements(view.element, z.download()),
                with_scores ? scores.download() : std::vector<float>{}};
    }
    bool step_fits(const kernels::ScoreRule& rule, std::int64_t dest) {
        const Stepped got = step(rule, dest, true);
        return within(attention_errors(*this, rule, dest, dest + 1, got.z, got.scores));
    }

  private:
    // Rules hold device pointers on the device and host pointers for the oracle.
    kernels::ScoreRule on_device(kernels::ScoreRule rule) {
        if (rule.forbidden.count > 0) {
            edges_ =
                std::make_unique<DeviceBuffer<kernels::EdgeRange>>(std::vector<kernels::EdgeRange>(
                    rule.forbidden.ranges, rule.forbidden.ranges + rule.forbidden.count));
            rule.forbidden.ranges = edges_->data();
        }
        if (rule.sinks == nullptr) return rule;
        sinks_ = std::make_unique<DeviceBuffer<float>>(
            std::vector<float>(rule.sinks, rule.sinks + trace_.host_view().query_heads));
        rule.sinks = sinks_->data();
        return rule;
    }

    CudaTrace trace_;
    int splits_ = 0;
    std::unique_ptr<DeviceBuffer<std::byte>> scratch_;
    std::unique_ptr<DeviceBuffer<float>> sinks_;
    std::unique_ptr<DeviceBuffer<kernels::EdgeRange>> edges_;
};

template <typename Add>
void on_all(Add&& add) {
    for (Element element : all_elements) add(element_name(element), static_cast<int>(element));
}

}  // namespace

class CudaAttentionTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void initTestCase() { SKIP_WITHOUT_DEVICE(); }

    void prompt_data() {
        add_shape_columns();
        on_all([](const char* name, int element) { add_shapes(name, element, 24, 40); });
    }
    void prompt() { test_shape<Cuda>(); }

    void oneStep_data() { prompt_data(); }
    // The last row by the decode kernel; with and without its scores the numbers are the same.
    void oneStep() {
        const ShapeRow row = shape_row();
        Cuda cuda(row.where, row.shape);
        cuda.fill(0, row.shape.rows, 5, 2);
        cuda.split(kernels::cuda::step_splits(cuda.trace().view()));
        const kernels::ScoreRule rule = rule_of(row.shape);
        const std::int64_t rows = row.shape.rows;
        const auto got = cuda.step(rule, rows - 1, true);
        if (!within(attention_errors(cuda, rule, rows - 1, rows, got.z, got.scores))) return;
        QVERIFY(cuda.step(rule, rows - 1, false).z == got.z);
    }

    void rules_data() {
        add_rule_columns();
        on_all(add_rules);
    }
    void rules() {
        test_rule<Cuda>([](Cuda& cuda, const kernels::ScoreRule& rule) {
            cuda.split(5);
            (void)cuda.step_fits(rule, 130);
        });
    }

    void forbidden_data() {
        add_forbidden_columns();
        on_all(add_forbidden);
    }
    void forbidden() { test_forbidden<Cuda>(); }

    void negativeControls_data() { add_faults(); }
    void negativeControls() { test_fault<Cuda>(static_cast<int>(Element::BF16)); }

    void chunks_data() {
        add_chunk_columns();
        on_all(add_chunks);
    }
    void chunks() { test_chunks<Cuda>(); }

    void splits_data() {
        QTest::addColumn<int>("where");
        QTest::addColumn<int>("splits");
        QTest::addColumn<int>("group");
        QTest::addColumn<int>("window");
        for (Element element : all_elements)
            for (int splits : {1, 2, 7, 64, 200})
                for (int group : {1, 3, 8, 12})
                    for (int window : {0, 600})
                        QTest::addRow("%s splits=%d group=%d window=%d", element_name(element),
                                      splits, group, window)
                            << static_cast<int>(element) << splits << group << window;
    }
    // Sinks are added once and not per split; splits without a key add nothing; the scratch is left
    // fit for the next step.
    void splits() {
        QFETCH(int, where);
        QFETCH(int, splits);
        QFETCH(int, group);
        QFETCH(int, window);
        const Shape shape{64, 2 * group, 2, 32, 1301};
        Cuda cuda(where, shape);
        cuda.fill(0, shape.rows, 5, 2);
        const std::vector<float> sinks(static_cast<std::size_t>(2 * group), 1.5f);
        const kernels::ScoreRule rule = rule_of(shape, 0, window, sinks.data());
        cuda.split(splits);
        for (std::int64_t dest : {std::int64_t{40}, shape.rows - 1})
            if (!cuda.step_fits(rule, dest)) return;
    }

    // One captured graph serves every length: the position and the block table are read from
    // device memory.
    void graphServesEveryLength() {
        const Shape shape{16, 8, 2, 128, 200};
        Cuda cuda(static_cast<int>(Element::BF16), shape);
        cuda.fill(0, shape.rows, 5, 2);
        const kernels::TraceView view = cuda.trace().view();
        const int splits = kernels::cuda::step_splits(view);
        DeviceBuffer<std::byte> scratch(
            static_cast<std::size_t>(kernels::cuda::step_scratch(view, splits)), 0);
        DeviceBuffer<std::byte> z(8 * 128 * 2);
        DeviceBuffer<std::int64_t> position(1);
        kernels::cuda::StepArgs args;
        args.trace = view;
        args.rule = rule_of(shape);
        args.dest = position.data();
        args.z_out = z.data();
        args.scratch = scratch.data();
        args.splits = splits;
        cudaStream_t stream = nullptr;
        cudaGraph_t graph = nullptr;
        cudaGraphExec_t ready = nullptr;
        using kernels::cuda::check;
        check(cudaStreamCreate(&stream), "stream");
        check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "capture");
        kernels::cuda::attend_step(args, stream);
        check(cudaStreamEndCapture(stream, &graph), "end of capture");
        check(cudaGraphInstantiate(&ready, graph, 0), "instantiate");
        for (std::int64_t dest : {0, 15, 16, 17, 120, 199}) {
            position.upload({dest});
            check(cudaGraphLaunch(ready, stream), "launch");
            check(cudaStreamSynchronize(stream), "wait");
            cuda.trace().download();
            if (!within(attention_errors(cuda, args.rule, dest, dest + 1,
                                         from_elements(Element::BF16, z.download()))))
                return;
        }
        check(cudaGraphExecDestroy(ready), "destroy");
        check(cudaGraphDestroy(graph), "destroy");
        check(cudaStreamDestroy(stream), "destroy");
    }

    void largeScores() {
        for (Element element : all_elements)
            if (!large_scores_fit<Cuda>(static_cast<int>(element))) return;
    }

    void refusals() {
        CudaTrace trace({16, 1, 1, 20, 20}, Element::BF16);
        bool refused = false;
        try {
            kernels::cuda::attend({trace.view(), {}, 0, 20, nullptr}, nullptr);
        } catch (const std::invalid_argument&) {
            refused = true;
        }
        QVERIFY(refused);
    }
};

QTEST_APPLESS_MAIN(CudaAttentionTest)
#include "cuda_attention_test.moc"
