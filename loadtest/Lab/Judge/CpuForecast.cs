using DroneDelivery.Lab.Cluster;
using DroneDelivery.Lab.Stages;

namespace DroneDelivery.Lab.Judge;

/// <summary>A machine on which the CPU of each stage was measured: a file of <c>loadtest/machines</c>.</summary>
/// <param name="CpuMicrosecondsPerHold">Its <see cref="Calibration.CpuMicrosecondsPerHold"/>: how fast it is.</param>
/// <param name="Cores">The CPU of all processes during the load of a stage, by the stage's ID.</param>
internal sealed record ReferenceMachine(
    string Machine,
    DateOnly MeasuredOn,
    double CpuMicrosecondsPerHold,
    IReadOnlyDictionary<string, double> Cores
)
{
    public static ReferenceMachine Load() => LabFile.Read<ReferenceMachine>("machines", "reference");
}

/// <summary>The load and the speed of a machine before a run.</summary>
/// <param name="OtherPrograms">The share of its CPU that is busy before the lab starts anything, 0–1.</param>
/// <param name="CpuMicrosecondsPerHold">See <see cref="Calibration.CpuMicrosecondsPerHold"/>.</param>
internal sealed record MachineSpeed(int Cores, double OtherPrograms, double CpuMicrosecondsPerHold);

/// <summary>Predicts how busy a machine is during the load of a stage.</summary>
/// <param name="Machine">The share of its CPU, 0–1. A value above 1 means that it is too slow.</param>
internal sealed record CpuForecast(StagePlan Stage, double Machine)
{
    /// <summary>Above this share, noise may push the machine over the limit for failed checks.</summary>
    private const double Comfortable = 0.75;

    public CpuFit Fit =>
        Machine switch
        {
            > Disturbance.MaxBusy => CpuFit.TooSlow,
            > Comfortable => CpuFit.Tight,
            _ => CpuFit.Enough,
        };

    public static IReadOnlyList<CpuForecast> Of(
        IEnumerable<StagePlan> stages,
        MachineSpeed machine,
        ReferenceMachine reference
    )
    {
        var slowdown = machine.CpuMicrosecondsPerHold / reference.CpuMicrosecondsPerHold;
        return
        [
            .. stages
                .Where(stage => reference.Cores.ContainsKey(stage.Stage.Id))
                .Select(stage => new CpuForecast(
                    stage,
                    machine.OtherPrograms + reference.Cores[stage.Stage.Id] * slowdown / machine.Cores
                )),
        ];
    }

    /// <summary>The number of cores of this speed with which every stage fits.</summary>
    public static int CoresForAll(IEnumerable<CpuForecast> forecasts, MachineSpeed machine)
    {
        var busiest = forecasts.Max(forecast => forecast.Machine - machine.OtherPrograms) * machine.Cores;
        return (int)Math.Ceiling(busiest / Comfortable);
    }
}

/// <summary>Whether a machine has enough CPU for a stage.</summary>
internal enum CpuFit
{
    Enough,

    /// <summary>A failed check may make the stage invalid.</summary>
    Tight,

    /// <summary>The stage will be invalid.</summary>
    TooSlow,
}
