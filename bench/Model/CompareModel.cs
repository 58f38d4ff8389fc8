using System.CommandLine;
using System.Text.Json;
using System.Text.Json.Serialization;
using DroneDelivery.Lab;
using DroneDelivery.Lab.Cli;
using DroneDelivery.Lab.Cluster;
using DroneDelivery.Lab.Judge;
using DroneDelivery.Lab.Stages;

namespace DroneDelivery.Bench.Model;

/// <summary>
/// Settings drawn at random, each played in the lab, simulated, and computed by the planner's formulas. What was played is kept, so that a
/// measurement that was broken off goes on where it ended.
/// </summary>
internal static class CompareModel
{
    private const int Seeds = 5;

    // What the project asks of its model: shares of all settings.
    private const double SimulatorRight = 0.95,
        FormulasRight = 0.85;

    private static readonly JsonSerializerOptions Json = new(JsonSerializerDefaults.Web)
    {
        WriteIndented = true,
        NumberHandling = JsonNumberHandling.AllowNamedFloatingPointLiterals,
    };

    public static Command Command()
    {
        var settings = new Option<int>("--settings")
        {
            Description = "How many settings are drawn.",
            DefaultValueFactory = _ => 20,
        };
        var seed = new Option<int>("--seed") { Description = "Of the draw.", DefaultValueFactory = _ => 1 };
        var folder = new Option<string?>("--folder")
        {
            Description = "Where what was played is kept, one file a setting. [default: artifacts/bench/model/seed-N]",
        };
        var command = new Command(
            "model",
            "Random knob settings: lab, simulator and formulas side by side; about 90 s a setting. What is in the folder already is not "
                + "played again. Exit code 0: all were played, and the model is right as often as docs/explanation/model.md asks."
        )
        {
            settings,
            seed,
            folder,
        };
        command.SetAction(
            (parsed, cancellationToken) =>
                RunAsync(
                    parsed.GetValue(settings),
                    parsed.GetValue(seed),
                    parsed.GetValue(folder)
                        ?? Path.Combine(Repository.Artifacts, "bench", "model", $"seed-{parsed.GetValue(seed)}"),
                    cancellationToken
                )
        );
        return command;
    }

    private static async Task<int> RunAsync(int settings, int seed, string folder, CancellationToken cancellationToken)
    {
        Directory.CreateDirectory(folder);
        using var onlyOne = await LabLock.AcquireAsync("bench model");
        var compared = new List<ComparedSetting>();
        for (var number = 1; number <= settings; number++)
        {
            var file = Path.Combine(folder, $"{number:00}.json");
            if (await OneAsync(seed, number, file, cancellationToken) is not { } one)
                continue;
            compared.Add(one);
            Show(one);
        }

        return Conclude(compared, settings) ? 0 : 1;
    }

    /// <returns>Null: the lab could not measure it.</returns>
    private static async Task<ComparedSetting?> OneAsync(
        int seed,
        int number,
        string file,
        CancellationToken cancellationToken
    )
    {
        var drawn = DrawnSetting.Plan(seed, number, RunOptions.Quick, folder: "");
        var played = File.Exists(file)
            ? await KeptAsync(drawn, file, cancellationToken)
            : await PlayAsync(seed, number, file, cancellationToken);
        return played is null ? null : ComparedSetting.Of(played, drawn, Seeds);
    }

    /// <returns>Null: it is of another draw.</returns>
    private static async Task<PlayedSetting?> KeptAsync(
        StagePlan drawn,
        string file,
        CancellationToken cancellationToken
    )
    {
        var played = JsonSerializer.Deserialize<PlayedSetting>(
            await File.ReadAllTextAsync(file, cancellationToken),
            Json
        );
        if (played?.IsOf(drawn) == true)
            return played;
        Console.WriteLine($"{file} has other knobs than are drawn now. Move it away, or name another --folder.");
        return null;
    }

    private static async Task<PlayedSetting?> PlayAsync(
        int seed,
        int number,
        string file,
        CancellationToken cancellationToken
    )
    {
        var error = new Outlet(Console.Error, isTerminal: false);
        var context = new LabContext(new(TextWriter.Null, isTerminal: false), error, TimeProvider.System);
        var run = RunsOnDisk.FolderOf(context.Time.GetUtcNow(), $"model-{number}");
        var plan = DrawnSetting.Plan(seed, number, RunOptions.Quick, run);
        var arguments = new RunArguments([], plan.Options) { Command = $"bench model --seed {seed}, setting {number}" };
        var (record, spoiled) = await RecordAsync(plan, arguments, context, cancellationToken);
        if (record is null || spoiled is not null)
        {
            Console.WriteLine($"{number}: {spoiled} It is played again the next time.");
            return null;
        }

        var played = PlayedSetting.Of(number, plan, record);
        await File.WriteAllTextAsync(file + ".new", JsonSerializer.Serialize(played, Json), cancellationToken);
        File.Move(file + ".new", file, overwrite: true);
        return played;
    }

    /// <returns>What was measured, and what was in its way.</returns>
    private static async Task<(StageRecord? Record, string? Spoiled)> RecordAsync(
        StagePlan plan,
        RunArguments arguments,
        LabContext context,
        CancellationToken cancellationToken
    )
    {
        try
        {
            var run = await RunCommand.PlayAsync(new(plan.Options, [plan], []), arguments, context, cancellationToken);
            var stage = run.Stages[0];
            return (
                stage,
                stage.Outcome is Outcomes.Void or Outcomes.Incomplete ? stage.Reason ?? stage.Outcome : null
            );
        }
        catch (LabException exception)
        {
            return (null, exception.Message);
        }
    }

    private static void Show(ComparedSetting it)
    {
        Console.WriteLine(
            $"{it.Played.Number}: {string.Join(' ', it.Played.Knobs.Select(knob => $"{knob.Key}={knob.Value}"))}"
        );
        Console.WriteLine($"   {"", -22}{"lab", 12}{"simulator", 12}{"formulas", 12}");
        Line("incoming/s", said => $"{said.Incoming:0.0}");
        Line("completed/s", said => $"{said.Rate:0.0}");
        Line("completed under load", said => $"{said.Completed:0}");
        Line("locks lost", said => said.Lost ? "yes" : "no");
        Line("binds", said => said.Binds);

        void Line(string figure, Func<Said, string> text) =>
            Console.WriteLine($"   {figure, -22}{text(it.Lab), 12}{text(it.Simulator), 12}{text(it.Formulas), 12}");
    }

    /// <returns>Whether the model is right often enough.</returns>
    private static bool Conclude(List<ComparedSetting> all, int settings)
    {
        Console.WriteLine($"{all.Count} of {settings} settings.");
        var simulator = Score.Of(all, it => it.Simulator);
        var formulas = Score.Of(all, it => it.Formulas);
        Console.WriteLine($"simulator: {simulator}");
        Console.WriteLine($"formulas: {formulas}");
        if (all.Count < settings)
        {
            Console.WriteLine("Not all settings were measured; the next call plays the others.");
            return false;
        }

        var isRight =
            simulator.Rates >= SimulatorRight * all.Count
            && simulator.Counts >= SimulatorRight * all.Count
            && simulator.Lost == all.Count
            && formulas.Rates >= FormulasRight * all.Count
            && formulas.Binds == all.Count;
        Console.WriteLine(
            $"Asked: the simulator's rates and counts right in {SimulatorRight:0 %}, lost or not in all; the formulas' rate in "
                + $"{FormulasRight:0 %}, what binds in all. {(isRight ? "It is so." : "It is not so.")}"
        );
        return isRight;
    }

    /// <summary>In how many settings one of the two is right.</summary>
    private sealed record Score(int Rates, int Counts, int Lost, int Binds, int Settings)
    {
        public static Score Of(List<ComparedSetting> all, Func<ComparedSetting, Said> said) =>
            new(
                all.Count(it => ComparedSetting.IsRateRight(said(it), it.Lab)),
                all.Count(it => ComparedSetting.IsCountRight(said(it), it.Lab)),
                all.Count(it => said(it).Lost == it.Lab.Lost),
                all.Count(it => said(it).Binds == it.Lab.Binds),
                all.Count
            );

        public override string ToString() =>
            $"rate within {ComparedSetting.OfRates:0 %} in {Rates}, completed within {ComparedSetting.OfCounts:0 %} in {Counts}, "
            + $"lost or not right in {Lost}, what binds right in {Binds}, of {Settings}.";
    }
}
