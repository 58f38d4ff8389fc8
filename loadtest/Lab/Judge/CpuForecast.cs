using DroneDelivery.Lab.Stages;

namespace DroneDelivery.Lab.Judge;

/// <summary>A machine on which the CPU of each stage was measured (<c>loadtest/machines</c>).</summary>
/// <param name="Cores">CPU usage during the load, in cores, by stage.</param>
internal sealed record ReferenceMachine(
    string Machine,
    DateOnly MeasuredOn,
    double CpuMicrosecondsPerHold,
    IReadOnlyDictionary<string, double> Cores
)
{
    public static ReferenceMachine Load() => LabFile.Read<ReferenceMachine>("machines", "reference");
}

/// <param name="OtherPrograms">CPU utilization by other programs, 0–1.</param>
internal sealed record MachineSpeed(int Cores, double OtherPrograms, double CpuMicrosecondsPerHold);

/// <summary>Predicts the CPU utilization of a machine.</summary>
/// <param name="Machine">CPU utilization; above 1, the machine is too slow.</param>
internal sealed record CpuForecast(StagePlan Stage, double Machine)
{
    /// <summary>Above this, noise can exceed the limit for failed checks.</summary>
    private const double TightAbove = 0.75;

    public CpuFit Fit =>
        Machine switch
        {
            > Disturbance.MaxBusy => CpuFit.TooSlow,
            > TightAbove => CpuFit.Tight,
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

    /// <summary>Returns the number of cores that every stage fits.</summary>
    public static int CoresForAll(IEnumerable<CpuForecast> forecasts, MachineSpeed machine)
    {
        var busiest = forecasts.Max(forecast => forecast.Machine - machine.OtherPrograms) * machine.Cores;
        return (int)Math.Ceiling(busiest / TightAbove);
    }
}

internal enum CpuFit
{
    Enough,

    /// <summary>A failed check can make the stage invalid.</summary>
    Tight,

    TooSlow,
}
