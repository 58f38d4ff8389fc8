using DroneDelivery.Lab.Cluster;
using DroneDelivery.Lab.Stages;

namespace DroneDelivery.Lab.Judge;

internal sealed record MachineCheck(
    MachineRecord Machine,
    MachineSpeed Speed,
    ReferenceMachine Reference,
    IReadOnlyList<CpuForecast> Forecasts,
    bool IsFit,
    IReadOnlyList<string> Advice
)
{
    /// <summary>Above this utilization, closing other programs helps.</summary>
    private const double MaxOtherPrograms = 0.10;

    public static MachineCheck Of(
        MachineRecord machine,
        MachineSpeed speed,
        Calibration calibration,
        IReadOnlyList<StagePlan> stages,
        ReferenceMachine reference
    )
    {
        var forecasts = CpuForecast.Of(stages, speed, reference);
        var advice = AdviceFor(machine, speed, calibration, forecasts).ToList();
        var isFit =
            machine.Redis is not null
            && calibration.WhyVoid is null
            && forecasts.All(forecast => forecast.Fit != CpuFit.TooSlow);
        if (advice.Count == 0)
            advice.Add("This machine meets the requirements of all stages: ./lab run");
        return new(machine, speed, reference, forecasts, isFit, advice);
    }

    private static IEnumerable<string> AdviceFor(
        MachineRecord machine,
        MachineSpeed speed,
        Calibration calibration,
        IReadOnlyList<CpuForecast> forecasts
    )
    {
        if (machine.Redis is null)
            yield return "Install redis-server: `apt install redis-server`, `dnf install redis` or `brew install redis`.";
        if (calibration.WhyVoid is { } reason)
            yield return reason;
        var busy = forecasts.Where(forecast => forecast.Fit != CpuFit.Enough).ToList();
        if (busy.Count == 0)
            yield break;
        if (speed.OtherPrograms > MaxOtherPrograms)
        {
            yield return $"Close other programs: they use {speed.OtherPrograms:P0} of the CPU. Then check again, because the speed of "
                + "a busy machine can't be measured.";
            yield break;
        }
        yield return $"With {CpuForecast.CoresForAll(forecasts, speed)} cores of this speed, every stage has enough CPU.";
        var fitting = forecasts.Except(busy).Select(forecast => forecast.Stage.Stage.Id).ToList();
        if (fitting.Count > 0)
            yield return $"These stages have enough CPU on this machine: ./lab run {string.Join(' ', fitting)}";
    }
}
