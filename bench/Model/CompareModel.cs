using System.CommandLine;
using DroneDelivery.Lab;
using DroneDelivery.Lab.Cli;
using DroneDelivery.Lab.Cluster;
using DroneDelivery.Lab.Judge;
using DroneDelivery.Lab.Stages;

namespace DroneDelivery.Bench.Model;

/// <summary>Compares random configurations: run in the lab, simulated, and calculated by the planner.</summary>
internal static class CompareModel
{
    private const int Seeds = 5;

    public static Command Command()
    {
        var settings = new Option<int>("--settings") { DefaultValueFactory = _ => 20 };
        var first = new Option<int>("--first")
        {
            Description = "number of the first setting, to continue after an interruption",
            DefaultValueFactory = _ => 1,
        };
        var seed = new Option<int>("--seed")
        {
            Description = "seed of the random settings",
            DefaultValueFactory = _ => 1,
        };
        var command = new Command(
            "model",
            "Compares lab, simulator and formulas for random settings; about 90 s per setting."
        )
        {
            settings,
            first,
            seed,
        };
        command.SetAction(
            (parsed, stopping) =>
                RunAsync(parsed.GetValue(first), parsed.GetValue(settings), parsed.GetValue(seed), stopping)
        );
        return command;
    }

    private static async Task RunAsync(int first, int last, int seed, CancellationToken stopping)
    {
        using var onlyOne = await LabLock.AcquireAsync("bench model");
        var (played, simulator, formulas) = (0, new Score(), new Score());
        for (var number = first; number <= last; number++)
        {
            if (await ExecuteAsync(seed, number, stopping) is not var (plan, lab))
                continue;
            var (simulated, planned) = (Throughput.Simulated(plan, Seeds), Throughput.Planned(plan));
            var knobs = plan.Options.Overrides.All.Select(knob => $"{knob.Knob.Name}={knob.Knob.Show(knob.Value)}");
            Console.WriteLine($"{number}: {string.Join(' ', knobs)}");
            Show("completed/s", throughput => throughput.Rate);
            Show("completed under load", throughput => throughput.Completed);
            played++;
            simulator.Add(simulated, lab);
            formulas.Add(planned, lab);

            void Show(string figure, Func<Throughput, double> value) =>
                Console.WriteLine(
                    $"   {figure, -22} lab {value(lab):0.0}, simulator {value(simulated):0.0}, formulas {value(planned):0.0}"
                );
        }
        Console.WriteLine($"Of {played} settings: simulator {simulator}; formulas {formulas}.");
    }

    /// <returns><c>null</c> if the lab couldn't measure it.</returns>
    private static async Task<(StagePlan Plan, Throughput Lab)?> ExecuteAsync(
        int seed,
        int number,
        CancellationToken stopping
    )
    {
        var error = new Outlet(Console.Error, isTerminal: false);
        var context = new LabContext(new(TextWriter.Null, isTerminal: false), error, TimeProvider.System);
        var folder = RunsOnDisk.FolderOf(context.Time.GetUtcNow(), $"model-{number}");
        var plan = DrawnSetting.Plan(seed, number, RunOptions.Quick, folder);
        var arguments = new RunArguments([], plan.Options) { Command = $"bench model --seed {seed}, setting {number}" };
        try
        {
            var run = await RunCommand.ExecuteAsync(new(plan.Options, [plan], []), arguments, context, stopping);
            var stage = run.Stages[0];
            if (stage.Outcome is not (Outcomes.Void or Outcomes.Incomplete))
                return (plan, Throughput.Of(name => stage.Figures[name].Value));
            Console.WriteLine($"{number}: {stage.Reason ?? stage.Outcome}");
        }
        catch (LabException exception)
        {
            Console.WriteLine($"{number}: {exception.Message}");
        }
        return null;
    }

    private sealed class Score
    {
        private int _rates;
        private int _counts;

        public void Add(Throughput predicted, Throughput lab)
        {
            _rates += predicted.IsRateNear(lab) ? 1 : 0;
            _counts += predicted.IsCountNear(lab) ? 1 : 0;
        }

        public override string ToString() => $"{_rates} rates within 10 %, {_counts} counts within 15 %";
    }
}
