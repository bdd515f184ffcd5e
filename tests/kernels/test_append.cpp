// SPDX-License-Identifier: GPL-3.0-or-later
#include "append_cases.h"
#include "isas.h"
#include "kernels/attention.h"
#include "tests/support/threads.h"

class TestAppend : public QObject {
    Q_OBJECT
  private slots:
    void cleanup() { kernels::cpu::force_isa(available_isas().back()); }

    void rows_data() {
        add_append_columns();
        for (auto isa : available_isas())
            add_append_rows(kernels::cpu::isa_name(isa), static_cast<int>(isa), {16, 64, 80, 20});
    }
    void rows() {
        QFETCH(int, where);
        kernels::cpu::force_isa(static_cast<kernels::cpu::Isa>(where));
        const AppendCase c = append_row();
        support::PagedTrace trace(c.shape(), 4);
        kernels::AppendArgs args;
        args.trace = trace.view();
        args.begin = c.begin;
        args.end = c.end;
        args.qkv = c.qkv.data();
        args.q_norm = c.norm ? c.q_norm.data() : nullptr;
        args.k_norm = c.norm ? c.k_norm.data() : nullptr;
        args.norm_eps = c.norm_eps;
        const std::int64_t first = c.begin * (c.rotary / 2);
        args.cosines = c.rotary ? c.cosines.data() + first : nullptr;
        args.sines = c.rotary ? c.sines.data() + first : nullptr;
        args.rotary_dim = c.rotary;
        kernels::cpu::append(args, support::on_threads(3));
        c.verify(trace.view(), 0);
    }
};

QTEST_APPLESS_MAIN(TestAppend)
#include "test_append.moc"
