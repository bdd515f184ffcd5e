// SPDX-License-Identifier: GPL-3.0-or-later
#include "append_cases.h"
#include "cuda_trace.h"
#include "kernels/cuda/attention.h"

using kernels::Element;

class CudaAppendTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void initTestCase() { SKIP_WITHOUT_DEVICE(); }

    // where: the element, and 10 where the projection comes in fp32.
    void rows_data() {
        add_append_columns();
        for (Element element : all_elements)
            for (bool fp32_in : {false, true}) {
                const std::string name =
                    std::string(element_name(element)) + (fp32_in ? " from fp32" : "");
                add_append_rows(name.c_str(), static_cast<int>(element) + (fp32_in ? 10 : 0),
                                {16, 64, 80, 24, 128, 256});
            }
    }
    // The first position is read from the device every other time.
    void rows() {
        QFETCH(int, where);
        const auto type = static_cast<Element>(where % 10), in = where >= 10 ? Element::F32 : type;
        AppendCase c = append_row();
        CudaTrace trace(c.shape(), type, 4);
        const DeviceBuffer<std::byte> qkv(to_elements(in, c.qkv));
        const DeviceBuffer<float> q_norm(c.q_norm), k_norm(c.k_norm), cosines(c.cosines),
            sines(c.sines);
        const DeviceBuffer<std::int64_t> begin(std::vector<std::int64_t>{c.begin});
        kernels::cuda::AppendArgs args;
        args.trace = trace.view();
        args.begin = c.norm ? 7 : c.begin;
        args.rows = c.end - c.begin;
        args.device_begin = c.norm ? begin.data() : nullptr;
        args.qkv = qkv.data();
        args.qkv_element = in;
        args.q_norm = c.norm ? q_norm.data() : nullptr;
        args.k_norm = c.norm ? k_norm.data() : nullptr;
        args.norm_eps = c.norm_eps;
        args.cosines = c.rotary ? cosines.data() : nullptr;
        args.sines = c.rotary ? sines.data() : nullptr;
        args.rotary_dim = c.rotary;
        kernels::cuda::append(args, nullptr);
        trace.download();
        // The last step is one rounding to the element type.
        c.verify(trace.host_view(), type == Element::F32   ? 0
                                    : type == Element::F16 ? 0x1p-11
                                                           : 0x1p-8);
    }
};

QTEST_APPLESS_MAIN(CudaAppendTest)
#include "cuda_append_test.moc"
