// HF2xx, HF311, HF312, HF602 on the GPU, HF801 to HF803 in words.
#include "diagnose/facts/gpu.h"
#include "base/format.h"
#include "diagnose/oom/tensor_refusal.h"
#include "diagnose/text/exception_text.h"
#include "diagnose/words/account.h"
#include "diagnose/words/phrases.h"

namespace holdfast::facts {
namespace {

std::string asked_of_gpu(const GpuRefusal& figures) {
    return figures.asked ? human(*figures.asked) : std::string("memory");
}

Account refused_by_gpu(const Autopsy& death, const GpuRefused& facts, std::string summary) {
    Account account = account_of(death, std::move(summary));
    account.saw(facts.said.source, shortened(facts.said.line));
    const GpuRefusal& figures = facts.figures;
    if (figures.asked) account.saw("asked for", human(*figures.asked));
    if (figures.free && figures.capacity)
        account.saw("free on the GPU", part_of(*figures.free, *figures.capacity));
    if (figures.own) account.saw("held by this process", human(*figures.own));
    return account;
}

void add_tensorflow_growth(Account& account, const TensorflowOptions& options) {
    if (options.grows()) {
        account.advise(
            "TensorFlow takes memory as it needs it, as the program asked, and gives none back: "
            "set a limit, in MiB.",
            "tf.config.set_logical_device_configuration(gpu, "
            "[tf.config.LogicalDeviceConfiguration(memory_limit=8192)])");
        return;
    }
    // The variable wins over set_memory_growth.
    if (options.force_growth == "false") {
        account.advise(
            "Let TensorFlow take memory as it needs it: here the environment forbids it.",
            "TF_FORCE_GPU_ALLOW_GROWTH=true");
        return;
    }
    account.advise("Let TensorFlow take memory as it needs it, instead of nearly all at its start.",
                   "for g in tf.config.list_physical_devices(\"GPU\"): "
                   "tf.config.experimental.set_memory_growth(g, True)\n"
                   "# without touching the program: TF_FORCE_GPU_ALLOW_GROWTH=true");
}

void add_jax_growth(Account& account, const JaxOptions& options) {
    if (options.grows()) {
        if (options.allocator != "platform")
            account.advise(
                "JAX takes memory as it needs it, as the program asked, and gives none back: let "
                "it free memory (this is slower).",
                "XLA_PYTHON_CLIENT_ALLOCATOR=platform");
        return;
    }
    const std::string name =
        options.fraction_name.empty() ? "XLA_PYTHON_CLIENT_MEM_FRACTION" : options.fraction_name;
    account.advise(
        options.fraction
            ? formatted("JAX takes {:.0f} % at its start, because of {}: let it grow, or give it a "
                        "smaller share.",
                        *options.fraction * 100, name)
            : std::string("JAX takes three quarters of the GPU at its start: let it grow, or give "
                          "it a smaller share."),
        formatted("XLA_PYTHON_CLIENT_PREALLOCATE=false   # or {}=.40", name));
}

// Spelled for the framework that took the memory; for both if that is not known.
void add_growth_fixes(Account& account, const Autopsy& death) {
    const GpuOptions options = gpu_options(death);
    const bool jax = options.jax || uses(death, "jax") || uses(death, "jaxlib");
    const bool tensorflow = options.tensorflow || uses(death, "tensorflow");
    if (!options.set.empty()) account.saw("the program's options", options.set);
    if (tensorflow || !jax)
        add_tensorflow_growth(account, options.tensorflow.value_or(TensorflowOptions{}));
    if (jax || !tensorflow) add_jax_growth(account, options.jax.value_or(JaxOptions{}));
}

void add_smaller_fixes(Account& account, GpuFramework framework) {
    switch (framework) {
    case GpuFramework::torch:
        account.advise("Take a smaller batch and make up for it by accumulating gradients.",
                       "loss = loss / k; loss.backward(); every k-th time: optimizer.step()");
        account.advise("Keep activations in bfloat16, or compute them again in the backward pass.",
                       "with torch.autocast(\"cuda\", dtype=torch.bfloat16): ...\n"
                       "torch.utils.checkpoint.checkpoint(block, x, use_reentrant=False)");
        return;
    case GpuFramework::tensorflow:
        account.advise("Take a smaller batch.", "model.fit(..., batch_size=16)");
        account.advise("Keep activations in half precision.",
                       "tf.keras.mixed_precision.set_global_policy(\"mixed_float16\")");
        return;
    case GpuFramework::jax:
        account.advise("Take a smaller batch, or compute activations again in the backward pass.",
                       "loss = jax.checkpoint(loss)");
        account.advise("Reuse the memory of the step's arguments for its results.",
                       "@partial(jax.jit, donate_argnums=(0, 1))   # parameters, optimizer state");
        return;
    }
}

Fix fix_for_pieces(GpuFramework framework) {
    switch (framework) {
    case GpuFramework::torch: break;
    case GpuFramework::tensorflow:
        return {"Let CUDA's own pool join the pieces (before TensorFlow is imported).",
                "TF_GPU_ALLOCATOR=cuda_malloc_async"};
    case GpuFramework::jax:
        return {"Let CUDA's own pool join the pieces, or give freed memory back at once (slower).",
                "TF_GPU_ALLOCATOR=cuda_malloc_async   # or XLA_PYTHON_CLIENT_ALLOCATOR=platform"};
    }
    return {"Let the allocator grow its segments instead of adding new ones.",
            "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True"};
}

Account faulted(const Autopsy& death, const Said& said) {
    Account account =
        account_of(death, formatted("{} stopped with: {}", who(death), shortened(said.line)));
    account.saw(said.source, shortened(said.line));
    return account;
}

std::string launches_since(std::uint64_t count) {
    return formatted("{} launch{} since the last wait", count, count == 1 ? "" : "es");
}

std::string launched(const LaunchLine& line) {
    std::string others;
    for (std::size_t i = 0; i < line.others.size(); ++i)
        others += (i == 0 ? "; or at " : ", ") + short_place(line.others[i]);
    if (line.more > 0) others += formatted(" and {} more", line.more);
    const std::string kernels =
        line.kernels == 1 ? "kernel " + line.kernel : formatted("{} kernels", line.kernels);
    return formatted("{} ({}, {}){}", short_place(line.where), kernels, launches_since(line.count),
                     others);
}

// Names the line that launched the kernel, and not the line that noticed.
void add_place(Account& account, const FaultPlace& place) {
    if (place.noticed) account.saw("noticed at", short_place(*place.noticed));
    if (place.line) account.saw("launched at", launched(*place.line));
}

void add_assertion(Account& account, const DeviceAssertion& assertion) {
    account.saw("stderr", formatted("{}: assertion `{}`", assertion.function,
                                    shortened(assertion.condition)));
}

std::string_view range_name(OutOfRange::What what) {
    switch (what) {
    case OutOfRange::What::label: return "a label outside the classes that the model has";
    case OutOfRange::What::index: return "an index outside its table";
    case OutOfRange::What::probability: return "a value that is not between 0 and 1";
    }
    return "";
}

Fix fix_of(OutOfRange::What what) {
    switch (what) {
    case OutOfRange::What::label:
        return {
            "Check all labels once before training: classes count from 0, and the loss must know "
            "which label means \"ignore this\".",
            "assert 0 <= int(labels.min()) and int(labels.max()) < num_classes"};
    case OutOfRange::What::index:
        return {
            "Check the indices against the table; an embedding needs as many rows as there are "
            "tokens.",
            "assert 0 <= int(index.min()) and int(index.max()) < table.shape[0]"};
    case OutOfRange::What::probability:
        return {
            "Give raw outputs to a loss that applies the sigmoid itself, and check that they are "
            "not NaN.",
            "torch.nn.BCEWithLogitsLoss()"};
    }
    return {};
}

}  // namespace

void tell(const CudaOom& facts, const Autopsy& death, Account& account) {
    const GpuRefusal& figures = facts.figures;
    account = refused_by_gpu(
        death, facts,
        figures.capacity && figures.own
            ? formatted("{} asked for {} more on a GPU of {}, where it already held {}.",
                        who(death), asked_of_gpu(figures), human(*figures.capacity),
                        human(*figures.own))
            : formatted("{} asked for {} on the GPU and was refused.", who(death),
                        asked_of_gpu(figures)));
    // JAX was given a share below what it takes by default.
    if (const GpuOptions options = gpu_options(death); figures.framework == GpuFramework::jax &&
                                                       options.jax && options.jax->fraction &&
                                                       *options.jax->fraction < 0.75) {
        account.saw("the program's options", options.set);
        account.advise(formatted("Give JAX more of the GPU: it may take {:.0f} %.",
                                 *options.jax->fraction * 100),
                       options.jax->fraction_name + "=.90");
    }
    add_smaller_fixes(account, figures.framework);
}

void tell(const CudaFragmentation& facts, const Autopsy& death, Account& account) {
    const GpuRefusal& figures = facts.figures;
    account = refused_by_gpu(death, facts,
                             formatted("{} asked for {} and was refused, although its allocator "
                                       "had {} reserved and unused, in pieces.",
                                       who(death), human(*figures.asked), human(*figures.unused)));
    account.saw("reserved and unused", human(*figures.unused));
    if (figures.largest_free) account.saw("largest free piece", human(*figures.largest_free));
    if (const GpuOptions options = gpu_options(death);
        figures.framework != GpuFramework::torch && options.by_cuda_pool()) {
        account.saw("the program's options", options.set);
        account.advise(
            "TF_GPU_ALLOCATOR was set too late, for these are pieces of the framework's own "
            "allocator: set it before the import.",
            "TF_GPU_ALLOCATOR=cuda_malloc_async python train.py");
        return;
    }
    account.advise(fix_for_pieces(figures.framework));
}

void tell(const GpuOccupied& facts, const Autopsy& death, Account& account) {
    const GpuRefusal& figures = facts.figures;
    const GpuEvidence::Holder* stranger = facts.stranger;
    account = refused_by_gpu(
        death, facts,
        stranger != nullptr
            ? formatted("{} asked for {} on the GPU, but {} (pid {}) held {} of its {}.",
                        who(death), human(*figures.asked),
                        stranger->name.empty() ? "another process" : stranger->name, stranger->pid,
                        human(*stranger->used), human(*figures.capacity))
            : formatted("{} asked for {} on the GPU, but others held {} of its {}.", who(death),
                        human(*figures.asked), human(facts.others), human(*figures.capacity)));
    account.saw("held by others", part_of(facts.others, *figures.capacity));
    account.advise("See who it is; end it, wait for it, or take another GPU.",
                   "nvidia-smi   # then: CUDA_VISIBLE_DEVICES=1");
}

void tell(const GpuTakenBeside& facts, const Autopsy& death, Account& account) {
    const GpuRefusal& figures = facts.figures;
    account = refused_by_gpu(
        death, facts,
        formatted("{} asked for {} on the GPU, but another part of the same process had taken "
                  "{} of its {}.",
                  who(death), asked_of_gpu(figures), human(facts.beside),
                  human(*figures.capacity)));
    account.saw("allocated by PyTorch", human(*figures.allocated));
    account.saw("held beside it", human(facts.beside));
    add_growth_fixes(account, death);
}

void tell(const GpuTakenInAdvance& facts, const Autopsy& death, Account& account) {
    account = account_of(
        death, formatted("{} had taken {} of the GPU's {} in advance, and another library in the "
                         "same process found none left.",
                         who(death), human(*facts.holder->used), human(*facts.gpu->total)));
    account.saw(facts.said.source, shortened(facts.said.line));
    account.saw("NVML", part_of(*facts.holder->used, *facts.gpu->total));
    add_growth_fixes(account, death);
}

void tell(const CudaAssert& facts, const Autopsy& death, Account& account) {
    account = faulted(death, facts.said);
    if (facts.assertion) add_assertion(account, *facts.assertion);
    add_place(account, facts.place);
    account.advise(
        "Check labels and indices against the number of classes; on the CPU the same code names "
        "the bad one.",
        facts.place.line ? "" : "CUDA_LAUNCH_BLOCKING=1");
}

void tell(const CudaIllegalAccess& facts, const Autopsy& death, Account& account) {
    account = faulted(death, facts.said);
    add_place(account, facts.place);
    account.advise(
        "Run once with synchronous kernel launches: the error then comes at the right line.",
        "CUDA_LAUNCH_BLOCKING=1");
}

void tell(const LabelOnGpu& facts, const Autopsy& death, Account& account) {
    account =
        account_of(death, formatted("{} used {}, on the GPU.", who(death), range_name(facts.what)));
    add_assertion(account, facts.assertion);
    add_place(account, facts.place);
    account.advise(fix_of(facts.what));
}

void tell(const GpuLost& facts, const Autopsy& death, Account& account) {
    const GpuEvidence* gpu = facts.gpu;
    const std::string which =
        gpu != nullptr ? formatted("GPU {} ({})", gpu->index, gpu->name) : "A GPU";
    account = account_of(
        death,
        formatted("{} stopped answering on the bus while {} ran; only a restart of the machine "
                  "brings it back.",
                  which, who(death)));
    if (facts.entry != nullptr) account.saw("kernel log", shortened(facts.entry->text));
    if (gpu != nullptr) account.saw("NVML", formatted("GPU {} is lost", gpu->index));
    account.advise(
        "Power the machine off and on, or ask for another one; use the other GPUs until then.",
        gpu != nullptr && death.all.gpus.size() > 1
            ? "CUDA_VISIBLE_DEVICES=...   # without " + std::to_string(gpu->index)
            : "");
    account.advise(
        "If it happens again: try a lower power limit, then check cables, cooling and the card's "
        "seat.",
        "sudo nvidia-smi -pl 250");
}

void tell(const GpuEcc& facts, const Autopsy& death, Account& account) {
    account = account_of(
        death, formatted("The GPU's memory had errors it could not correct while {} used it.",
                         who(death)));
    if (facts.said) account.saw(facts.said->source, shortened(facts.said->line));
    if (facts.entry != nullptr) account.saw("kernel log", shortened(facts.entry->text));
    account.advise("Reset the GPU, so that the bad rows are replaced, and run again.",
                   "sudo nvidia-smi --gpu-reset -i 0");
    account.advise("If rows keep failing, have the card replaced.",
                   "nvidia-smi -q -d ECC,ROW_REMAPPER");
}

void tell(const GpuThrottled& facts, const Autopsy&, Account& account) {
    const GpuEvidence& gpu = *facts.gpu;
    const std::string degrees = gpu.temperature_celsius
                                    ? formatted("; it was at {} °C", *gpu.temperature_celsius)
                                    : std::string();
    account.summary = formatted("GPU {} ({}) had slowed its clocks because of {}{}.", gpu.index,
                                gpu.name, facts.by_heat ? "heat" : "power", degrees);
    account.saw("clock event reasons", formatted("0x{:x}", gpu.clock_event_reasons.value_or(0)));
    account.advise(facts.by_heat ? "Check the cooling, or lower the power limit."
                                 : "Check the power supply and its cables.",
                   "nvidia-smi -q -d PERFORMANCE,TEMPERATURE,POWER");
}

}  // namespace holdfast::facts
