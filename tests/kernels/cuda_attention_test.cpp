// SPDX-License-Identifier: GPL-3.0-or-later
#include "cuda_trace.h"
#include "kernels/cuda/attention.h"
#include "tests/support/dense_oracle.h"

using kernels::Element;
using support::Fault;
using support::Shape;

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();

kernels::ScoreRule rule_of(const Shape& shape, float cap = 0, int window = 0,
                           const float* sinks = nullptr) {
    return {1 / std::sqrt(static_cast<float>(shape.dim)), cap, window, sinks};
}

// Rules hold device pointers on the device and host pointers for the oracle.
struct Sinks {
    std::vector<float> host;
    DeviceBuffer<float> device;
    explicit Sinks(std::vector<float> values) : host(std::move(values)), device(host) {}
};
kernels::ScoreRule on_device(kernels::ScoreRule rule, const Sinks* sinks) {
    rule.sinks = sinks ? sinks->device.data() : nullptr;
    return rule;
}

struct Errors {
    double z = 0, lse = 0, row_sum = 0, dense_z = 0, scores = 0;
    double tolerance = 0, z_allowed = 0;
    bool fine() const {
        return z <= z_allowed && lse <= tolerance && row_sum <= tolerance && dense_z == 0 &&
               scores <= tolerance;
    }
    QByteArray text() const {
        return "z " + QByteArray::number(z) + " lse " + QByteArray::number(lse) + " row sum " +
               QByteArray::number(row_sum) + " dense z " + QByteArray::number(dense_z) +
               " scores " + QByteArray::number(scores) + " of " + QByteArray::number(tolerance);
    }
};

// NaN anywhere counts as infinitely wrong.
void worst(double& so_far, double error) {
    so_far = error <= so_far ? so_far : std::isnan(error) ? 1e300 : error;
}

// z_out [rows − begin, Hq, D]; scores of the last row [Hq, rows], or empty.
Errors compare(const CudaTrace& trace, const kernels::ScoreRule& rule, std::int64_t begin,
               std::int64_t rows, const std::vector<std::byte>& z_out,
               const std::vector<float>& scores = {}, Fault fault = Fault::None) {
    const kernels::TraceView& view = trace.host_view();
    Errors errors;
    errors.z_allowed = z_tolerance(trace.element());
    const std::size_t size = size_of(trace.element());
    for (int head = 0; head < view.query_heads; ++head) {
        const support::DenseHead dense = support::dense_head(view, rule, head, rows, fault, begin);
        errors.tolerance = std::max(errors.tolerance, dense.tolerance());
        for (std::int64_t t = begin; t < rows; ++t) {
            double largest = 0, error = 0;
            for (int d = 0; d < view.head_dim; ++d) {
                const double expected = dense.z(t, d);
                const float stored = view.z(t, head)[d];
                largest = std::max(largest, std::abs(expected));
                worst(error, std::abs(static_cast<double>(stored) - expected));
                const auto at = static_cast<std::size_t>(
                    ((t - begin) * view.query_heads + head) * view.head_dim + d);
                const float out = load_element(trace.element(), z_out.data() + at * size);
                worst(errors.dense_z, std::abs(static_cast<double>(stored - out)));
            }
            // fp16 counts in steps of 2⁻²⁴ where a huge sink leaves next to nothing.
            if (trace.element() == Element::F16) error = error <= 0x1p-25 ? 0 : error;
            worst(errors.z, largest > 0 ? error / largest : error);
            const double lse = dense.lse(t);
            const auto stored = static_cast<double>(*view.lse(t, head));
            if (std::isinf(lse)) {
                worst(errors.lse, stored == lse ? 0 : 1);
                continue;
            }
            worst(errors.lse, std::abs(stored - lse));
            double sum = 0, expected_sum = 0;
            for (std::int64_t src = 0; src <= t; ++src) {
                sum += std::exp(dense.score(t, src) - stored);
                expected_sum += dense.p(t, src);
            }
            worst(errors.row_sum, std::abs(sum - expected_sum));
        }
        if (scores.empty()) continue;
        for (std::int64_t src = 0; src < rows; ++src) {
            const float score = scores[static_cast<std::size_t>(head * rows + src)];
            const double expected = dense.score(rows - 1, src);
            if (std::isinf(expected))  // what is masked was not written
                worst(errors.scores, std::isnan(score) ? 0 : 1);
            else
                worst(errors.scores, std::abs(static_cast<double>(score) - expected));
        }
    }
    return errors;
}

// Rows [begin, end) into the trace; the dense copy.
std::vector<std::byte> attend(CudaTrace& trace, const kernels::ScoreRule& rule, std::int64_t begin,
                              std::int64_t end) {
    const kernels::TraceView view = trace.view();
    DeviceBuffer<std::byte> z(
        static_cast<std::size_t>((end - begin) * view.query_heads * view.head_dim) *
        size_of(trace.element()));
    kernels::cuda::attend({view, rule, begin, end, z.data()}, nullptr);
    trace.download();
    return z.download();
}

// One row, by the decode kernel.
struct Stepped {
    std::vector<std::byte> z;
    std::vector<float> scores;
};
Stepped step(CudaTrace& trace, const kernels::ScoreRule& rule, std::int64_t dest, int splits,
             DeviceBuffer<std::byte>& scratch, bool with_scores = true) {
    const kernels::TraceView view = trace.view();
    DeviceBuffer<std::byte> z(static_cast<std::size_t>(view.query_heads * view.head_dim) *
                              size_of(trace.element()));
    DeviceBuffer<float> scores(static_cast<std::size_t>(view.query_heads * (dest + 1)));
    const DeviceBuffer<std::int64_t> position(std::vector<std::int64_t>{dest});
    kernels::cuda::StepArgs args;
    args.trace = view;
    args.rule = rule;
    args.dest = position.data();
    args.z_out = z.data();
    args.scores = with_scores ? scores.data() : nullptr;
    args.scores_stride = dest + 1;
    args.scratch = scratch.data();
    args.splits = splits;
    kernels::cuda::attend_step(args, nullptr);
    trace.download();
    return {z.download(), with_scores ? scores.download() : std::vector<float>{}};
}

void shape_columns() {
    QTest::addColumn<int>("element");
    QTest::addColumn<int>("page");
    QTest::addColumn<int>("heads");
    QTest::addColumn<int>("group");
    QTest::addColumn<int>("dim");
    QTest::addColumn<int>("rows");
}
void add_shape(Element element, int page, int kv, int group, int dim, int rows) {
    QTest::addRow("%s page=%d heads=%dx%d dim=%d rows=%d", element_name(element), page, kv, group,
                  dim, rows)
        << static_cast<int>(element) << page << kv * group << group << dim << rows;
}
void add_shapes() {
    shape_columns();
    for (Element element : all_elements) {
        for (int page : {1, 16, 64, 128})
            for (int rows : {1, page - 1, page, page + 1, 2 * page - 1, 2 * page, 2 * page + 1})
                if (rows > 0) add_shape(element, page, 2, 3, 64, rows);
        for (int group : {1, 2, 3, 4, 8})
            for (int dim : {16, 64, 80, 96, 128, 256}) add_shape(element, 16, 2, group, dim, 75);
        add_shape(element, 16, 1, 1, 24, 50);  // a dim that is no whole number of products
        add_shape(element, 64, 3, 3, 64, 300);
        add_shape(element, 64, 1, 5, 8, 200);
        add_shape(element, 64, 1, 40, 16, 9);  // a group wider than a tile
    }
}

}  // namespace

class CudaAttentionTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void initTestCase() { SKIP_WITHOUT_DEVICE(); }

    void prompt_data() { add_shapes(); }
    void prompt() {
        QFETCH(int, element);
        QFETCH(int, page);
        QFETCH(int, heads);
        QFETCH(int, group);
        QFETCH(int, dim);
        QFETCH(int, rows);
        const Shape shape{page, heads, heads / group, dim, rows};
        CudaTrace trace(shape, static_cast<Element>(element), 3);
        trace.fill(0, rows, 5);
        const auto z = attend(trace, rule_of(shape), 0, rows);
        const Errors errors = compare(trace, rule_of(shape), 0, rows, z);
        QVERIFY2(errors.fine(), errors.text());
    }

    void oneStep_data() { add_shapes(); }
    // The last row by the decode kernel; with and without its scores the numbers are the same.
    void oneStep() {
        QFETCH(int, element);
        QFETCH(int, page);
        QFETCH(int, heads);
        QFETCH(int, group);
        QFETCH(int, dim);
        QFETCH(int, rows);
        const Shape shape{page, heads, heads / group, dim, rows};
        CudaTrace trace(shape, static_cast<Element>(element), 3);
        trace.fill(0, rows, 5);
        const int splits = kernels::cuda::step_splits(trace.view());
        DeviceBuffer<std::byte> scratch(
            static_cast<std::size_t>(kernels::cuda::step_scratch(trace.view(), splits)), 0);
        const Stepped got = step(trace, rule_of(shape), rows - 1, splits, scratch);
        const Errors errors = compare(trace, rule_of(shape), rows - 1, rows, got.z, got.scores);
        QVERIFY2(errors.fine(), errors.text());
        QVERIFY(step(trace, rule_of(shape), rows - 1, splits, scratch, false).z == got.z);
    }

    void rules_data() {
        QTest::addColumn<int>("element");
        QTest::addColumn<float>("cap");
        QTest::addColumn<int>("window");
        QTest::addColumn<int>("sink");  // 0 none, 1 plain numbers, 2 one of −inf, 3 huge
        for (Element element : all_elements)
            for (float cap : {0.0f, 5.0f, 50.0f})
                for (int window : {0, 1, 4, 17, 1000})
                    for (int sink : {0, 1, 2, 3})
                        QTest::addRow("%s cap=%g window=%d sink=%d", element_name(element),
                                      static_cast<double>(cap), window, sink)
                            << static_cast<int>(element) << cap << window << sink;
    }
    void rules() {
        QFETCH(int, element);
        QFETCH(float, cap);
        QFETCH(int, window);
        QFETCH(int, sink);
        const Shape shape{16, 6, 2, 32, 131};
        CudaTrace trace(shape, static_cast<Element>(element), 3);
        trace.fill(0, shape.rows, 5, 4);
        const Sinks sinks({0.5f, -3, 4, 1, sink == 2 ? -infinity : 2, sink == 3 ? 60.0f : 0});
        const Sinks* given = sink == 0 ? nullptr : &sinks;
        const kernels::ScoreRule rule =
            rule_of(shape, cap, window, given ? sinks.host.data() : nullptr);
        const auto z = attend(trace, on_device(rule, given), 0, shape.rows);
        Errors errors = compare(trace, rule, 0, shape.rows, z);
        QVERIFY2(errors.fine(), errors.text());
        DeviceBuffer<std::byte> scratch(
            static_cast<std::size_t>(kernels::cuda::step_scratch(trace.view(), 5)), 0);
        const Stepped got = step(trace, on_device(rule, given), shape.rows - 1, 5, scratch);
        errors = compare(trace, rule, shape.rows - 1, shape.rows, got.z, got.scores);
        QVERIFY2(errors.fine(), errors.text());
    }

    // The comparison must see a wrong rule.
    void negativeControls_data() {
        QTest::addColumn<int>("fault");
        QTest::addRow("head mod kv instead of head / group")
            << static_cast<int>(Fault::TileInsteadOfRepeat);
        QTest::addRow("cap left out") << static_cast<int>(Fault::NoCap);
        QTest::addRow("window off by one") << static_cast<int>(Fault::WindowOffByOne);
        QTest::addRow("sink left out") << static_cast<int>(Fault::NoSink);
    }
    void negativeControls() {
        QFETCH(int, fault);
        const Shape shape{16, 6, 2, 64, 70};
        CudaTrace trace(shape, Element::BF16, 3);
        trace.fill(0, shape.rows, 5, 4);
        const Sinks sinks(std::vector<float>(6, 0.5f));
        const kernels::ScoreRule rule = rule_of(shape, 5, 17, sinks.host.data());
        const auto z = attend(trace, on_device(rule, &sinks), 0, shape.rows);
        QVERIFY(compare(trace, rule, 0, shape.rows, z).fine());
        QVERIFY(!compare(trace, rule, 0, shape.rows, z, {}, static_cast<Fault>(fault)).fine());
    }

    void chunks_data() {
        QTest::addColumn<int>("element");
        QTest::addColumn<int>("page");
        QTest::addColumn<int>("chunk");
        QTest::addColumn<int>("window");
        for (Element element : all_elements)
            for (int page : {1, 16, 64})
                for (int chunk : {1, 7, 16, 61, 130})
                    for (int window : {0, 9})
                        QTest::addRow("%s page=%d chunk=%d window=%d", element_name(element), page,
                                      chunk, window)
                            << static_cast<int>(element) << page << chunk << window;
    }
    // Rows arrive in chunks; what is not yet written is NaN. A chunk of one row is a decode step.
    void chunks() {
        QFETCH(int, element);
        QFETCH(int, page);
        QFETCH(int, chunk);
        QFETCH(int, window);
        const Shape shape{page, 6, 2, 64, 150};
        CudaTrace trace(shape, static_cast<Element>(element), 3);
        const kernels::ScoreRule rule = rule_of(shape, 0, window);
        DeviceBuffer<std::byte> scratch(
            static_cast<std::size_t>(kernels::cuda::step_scratch(trace.view(), 3)), 0);
        std::vector<std::byte> z;
        for (std::int64_t begin = 0; begin < shape.rows; begin += chunk) {
            const std::int64_t end = std::min<std::int64_t>(shape.rows, begin + chunk);
            trace.fill(begin, end, 5);
            const auto part = chunk == 1 ? step(trace, rule, begin, 3, scratch).z
                                         : attend(trace, rule, begin, end);
            z.insert(z.end(), part.begin(), part.end());
        }
        const Errors errors = compare(trace, rule, 0, shape.rows, z);
        QVERIFY2(errors.fine(), errors.text());
    }

    void splits_data() {
        QTest::addColumn<int>("element");
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
        QFETCH(int, element);
        QFETCH(int, splits);
        QFETCH(int, group);
        QFETCH(int, window);
        const Shape shape{64, 2 * group, 2, 32, 1301};
        CudaTrace trace(shape, static_cast<Element>(element), 3);
        trace.fill(0, shape.rows, 5);
        const Sinks sinks(std::vector<float>(static_cast<std::size_t>(2 * group), 1.5f));
        const kernels::ScoreRule rule = rule_of(shape, 0, window, sinks.host.data());
        DeviceBuffer<std::byte> scratch(
            static_cast<std::size_t>(kernels::cuda::step_scratch(trace.view(), splits)), 0);
        for (std::int64_t dest : {std::int64_t{40}, shape.rows - 1}) {
            const Stepped got = step(trace, on_device(rule, &sinks), dest, splits, scratch);
            const Errors errors = compare(trace, rule, dest, dest + 1, got.z, got.scores);
            QVERIFY2(errors.fine(), errors.text());
        }
    }

    // One captured graph serves every length: the position and the block table are read from
    // device memory.
    void graphServesEveryLength() {
        const Shape shape{16, 8, 2, 128, 200};
        CudaTrace trace(shape, Element::BF16, 3);
        trace.fill(0, shape.rows, 5);
        const kernels::TraceView view = trace.view();
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
            trace.download();
            const Errors errors = compare(trace, args.rule, dest, dest + 1, z.download());
            QVERIFY2(errors.fine(), errors.text());
        }
        check(cudaGraphExecDestroy(ready), "destroy");
        check(cudaGraphDestroy(graph), "destroy");
        check(cudaStreamDestroy(stream), "destroy");
    }

    // Scores of some 160: where fp32 without the maximum's subtraction would overflow.
    void largeScores() {
        for (Element element : all_elements) {
            const Shape shape{16, 2, 1, 64, 90};
            CudaTrace trace(shape, element, 3);
            trace.fill(0, shape.rows, 5, 50);
            const auto z = attend(trace, rule_of(shape), 0, shape.rows);
            Errors errors = compare(trace, rule_of(shape), 0, shape.rows, z);
            QVERIFY(errors.tolerance > 4e-5);
            // An error of the score is an error of z.
            errors.z_allowed = std::max(errors.z_allowed, errors.tolerance);
            QVERIFY2(errors.fine(), errors.text());
        }
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
