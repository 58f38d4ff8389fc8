using System.CommandLine;
using DroneDelivery.Lab.Cluster;
using DroneDelivery.Lab.Judge;
using DroneDelivery.Lab.Stages;
using Spectre.Console;

namespace DroneDelivery.Lab.Cli;

internal sealed class CheckCommand : Verb
{
    private const int Calibrations = 4;

    private static readonly TimeSpan Observation = TimeSpan.FromSeconds(2);

    private readonly Option<bool> _json = OptionOf.Json("Print the result as JSON.");

    public CheckCommand()
        : base(
            "check",
            "Checks whether this machine is fast enough for each stage of `./lab run`, in about 15 s. Exit code 1 if it isn't."
        )
    {
        Takes(_json);
        HasExamples("check", "check --json");
    }

    protected override async Task<ExitCode> RunAsync()
    {
        using var onlyOne = await LabLock.AcquireAsync("check");
        var progress = Progress.Lines(Context.Error);
        progress.Report("Measuring what other programs use…");
        var machine = await MachineRecord.ReadAsync(Stopping);
        var otherPrograms = await BusyAsync();
        progress.Report("Measuring the speed of this machine…");
        var plan = RunPlan.Of([RunPlan.Everything], RunOptions.Published(RunOptions.Quick));
        var nodes = plan.Played[0].Environment.Nodes!;
        var calibration = await CalibrateAsync(nodes);
        progress.Report("");

        var speed = new MachineSpeed(machine.Cores, otherPrograms, calibration.CpuMicrosecondsPerHold);
        var check = MachineCheck.Of(machine, speed, calibration, plan.Played, ReferenceMachine.Load());
        Out.Write(Get(_json) ? PrintedJson.Of(JsonOf(check)) : null, screen => Show(check, screen));
        return check.IsFit ? ExitCode.Held : ExitCode.Failed;
    }

    /// <returns>The fastest calibration: the first ones include JIT compilation.</returns>
    private async Task<Calibration> CalibrateAsync(DeclaredNodes nodes)
    {
        var calibrations = new List<Calibration>();
        for (var i = 0; i < Calibrations; i++)
            calibrations.Add(await Calibration.RunAsync(nodes, Clock, Stopping));
        return calibrations.MinBy(calibration => calibration.CpuMicrosecondsPerHold)!;
    }

    /// <returns>The machine's current CPU utilization, 0–1; 0 if unknown.</returns>
    private async Task<double> BusyAsync()
    {
        var before = MachineCpu.OfThisMachine.Read();
        await Task.Delay(Observation, Clock, Stopping);
        var after = MachineCpu.OfThisMachine.Read();
        return before is null || after is null ? 0 : after.Since(before);
    }

    private static object JsonOf(MachineCheck check) =>
        new
        {
            check.IsFit,
            check.Machine,
            check.Speed,
            Reference = check.Reference.Machine,
            Stages = check.Forecasts.Select(forecast => new
            {
                Stage = forecast.Stage.Stage.Id,
                forecast.Machine,
                Fit = $"{forecast.Fit}",
            }),
            check.Advice,
        };

    private static void Show(MachineCheck check, IAnsiConsole output)
    {
        var (machine, speed) = (check.Machine, check.Speed);
        output.WriteLine($"{machine.System}, {machine.Cores} cores, {machine.Memory / (1L << 30)} GiB of memory");
        output.WriteLine($"redis-server: {machine.Redis ?? "not on PATH"}");
        output.WriteLine($"k6: {machine.K6 ?? "not on PATH, so the lab's own load generator is used"}");
        output.WriteLine(
            $"Other programs use {speed.OtherPrograms:P0} of the CPU. A CPU reservation costs {speed.CpuMicrosecondsPerHold:0} µs, "
                + $"and {check.Reference.CpuMicrosecondsPerHold:0} µs on {check.Reference.Machine}."
        );
        output.Write(Table.Of("", ["stage", "expected CPU of the machine#", ""], check.Forecasts, forecast => [
                    forecast.Stage.Stage.Id,
                    $"{forecast.Machine:P0}",
                    forecast.Fit switch
                    {
                        CpuFit.TooSlow => new("not enough: the stage will be invalid", Tone.Bad),
                        CpuFit.Tight => new("barely enough: a failed check may be invalid", Tone.Odd),
                        _ => new("enough", Tone.Good),
                    },
                ]));
        foreach (var sentence in check.Advice)
            output.WriteLine(sentence);
    }
}
