using System.CommandLine;
using System.Text.Json;
using System.Text.Json.Serialization;
using DroneDelivery.Lab;
using DroneDelivery.Lab.Commands;
using DroneDelivery.Lab.Processes;
using DroneDelivery.Lab.Runs;

namespace DroneDelivery.Bench.Model;

/// <summary>
/// Settings drawn at random, each played in the lab, simulated, and computed by the planner's formulas. What was played is kept, so that a
/// measurement that was broken off goes on where it ended.
/// </summary>
internal static class CompareModel
{
    private const int Seeds = 5;

    private static readonly JsonSerializerOptions Json = new(JsonSerializerDefaults.Web)
    {
        WriteIndented = true,
        NumberHandling = JsonNumberHandling.AllowNamedFloatingPointLiterals,
    };

    public static Command Command()
    {
        var settings = new Option<int>("--settings") { Description = "How many settings are drawn.", DefaultValueFactory = _ => 20 };
        var seed = new Option<int>("--seed") { Description = "Of the draw.", DefaultValueFactory = _ => 1 };
        var command = new Command(
            "model",
            "Random knob settings: lab, simulator and formulas side by side; about 90 s a setting. Those that are in "
                + "artifacts/bench/model already are not played again.")
        {
            settings, seed,
        };
        command.SetAction((parsed, cancellationToken) => RunAsync(parsed.GetValue(settings), parsed.GetValue(seed), cancellationToken));
        return command;
    }

    private static async Task<int> RunAsync(int settings, int seed, CancellationToken cancellationToken)
    {
        var folder = Directory.CreateDirectory(Path.Combine(Repository.Artifacts, "bench", "model", $"seed-{seed}")).FullName;
        using var onlyOne = LabLock.Acquire("bench model");
        var compared = new List<ComparedSetting>();
        for (var number = 1; number <= settings; number++)
        {
            var file = Path.Combine(folder, $"{number:00}.json");
            if (await OneAsync(seed, number, file, cancellationToken) is not { } one)
                continue;
            compared.Add(one);
            Show(one);
        }

        Conclude(compared, settings);
        return compared.Count == settings ? 0 : 1;
    }

    /// <returns>Null: the lab could not measure it.</returns>
    private static async Task<ComparedSetting?> OneAsync(int seed, int number, string file, CancellationToken cancellationToken)
    {
        if (File.Exists(file))
            return JsonSerializer.Deserialize<ComparedSetting>(await File.ReadAllTextAsync(file, cancellationToken), Json);
        var error = new Outlet(Console.Error, isTerminal: false);
        var context = new LabContext(new(TextWriter.Null, isTerminal: false), error, TimeProvider.System);
        var run = RunOptions.FolderOf(context.Time.GetUtcNow(), $"model-{number}");
        var plan = DrawnSetting.Plan(seed, number, RunOptions.Quick, run);
        var arguments = new RunArguments { Command = $"bench model --seed {seed}, setting {number}" };
        var record = await RunCommand.PlayAsync(new(plan.Options, [plan], []), arguments, context, cancellationToken);
        if (record.Stages[0] is { Outcome: Outcomes.Void or Outcomes.Incomplete } spoiled)
        {
            Console.WriteLine($"{number}: {spoiled.Reason} It is played again the next time.");
            return null;
        }

        var compared = ComparedSetting.Of(number, plan, record.Stages[0], Seeds);
        await File.WriteAllTextAsync(file + ".new", JsonSerializer.Serialize(compared, Json), cancellationToken);
        File.Move(file + ".new", file, overwrite: true);
        return compared;
    }

    private static void Show(ComparedSetting it)
    {
        Console.WriteLine($"{it.Number}: {string.Join(' ', it.Knobs.Select(knob => $"{knob.Key}={knob.Value}"))}");
        Console.WriteLine($"   {"",-22}{"lab",12}{"simulator",12}{"formulas",12}");
        Line("incoming/s", said => $"{said.Incoming:0.0}");
        Line("completed/s", said => $"{said.Rate:0.0}");
        Line("completed under load", said => $"{said.Completed:0}");
        Line("locks lost", said => said.Lost ? "yes" : "no");
        Line("binds", said => said.Binds);

        void Line(string figure, Func<Said, string> text) =>
            Console.WriteLine($"   {figure,-22}{text(it.Lab),12}{text(it.Simulator),12}{text(it.Formulas),12}");
    }

    private static void Conclude(List<ComparedSetting> all, int settings)
    {
        Console.WriteLine($"{all.Count} of {settings} settings.");
        Tell("simulator", it => it.Simulator);
        Tell("formulas", it => it.Formulas);

        void Tell(string who, Func<ComparedSetting, Said> of) => Console.WriteLine(
            $"{who}: rate within {ComparedSetting.OfRates:0 %} in {all.Count(it => ComparedSetting.IsRateRight(of(it), it.Lab))}, "
            + $"completed within {ComparedSetting.OfCounts:0 %} in {all.Count(it => ComparedSetting.IsCountRight(of(it), it.Lab))}, "
            + $"lost or not right in {all.Count(it => of(it).Lost == it.Lab.Lost)}, "
            + $"what binds right in {all.Count(it => of(it).Binds == it.Lab.Binds)}, of {all.Count}.");
    }
}
