using DroneDelivery.Lab.Stages;

namespace DroneDelivery.Lab.Predict;

/// <param name="Rate">Deliveries per second that it has to complete once all users are active.</param>
/// <param name="NoLoss">Whether no lock may be lost, no message dead-lettered and no call answered with 5xx.</param>
/// <param name="DrainSeconds">The queue is empty so many seconds after the load at full length; null: whenever.</param>
/// <param name="P95Seconds">95 % of the messages are completed so many seconds after their acceptance; null: whenever.</param>
internal sealed record Goal(double Rate, bool NoLoss, double? DrainSeconds, double? P95Seconds = null)
{
    /// <summary>Share of the rate that counts as the rate: users jitter, and so does the last second of a measurement.</summary>
    public const double Enough = 0.97;

    /// <summary>What of the goal a trial misses; nothing: it meets the goal. A figure that is not a number misses it.</summary>
    public IEnumerable<Miss> MissesOf(Trial trial)
    {
        if (!(trial.Incoming >= Enough * Rate))
        {
            yield return new(
                "incoming.plateau",
                trial.Incoming,
                Rate,
                $"only {trial.Incoming:0.#}/s of {Rate:0.#}/s come in"
            );
        }
        else if (!(trial.Completed >= Enough * Rate))
        {
            yield return new(
                "completed.plateau",
                trial.Completed,
                Rate,
                $"{trial.Completed:0.#}/s of {Rate:0.#}/s are completed"
            );
        }

        if (DrainSeconds is { } limit && !(trial.DrainSeconds <= limit))
            yield return new("drain", trial.DrainSeconds, limit, DrainText(trial.DrainSeconds, limit));
        if (P95Seconds is { } latest && !(trial.P95 <= latest))
        {
            yield return new(
                "telemetry.ageP95",
                trial.P95,
                latest,
                $"5 % are completed more than {trial.P95:0.#} s after acceptance"
            );
        }

        if (!NoLoss)
            yield break;
        if (!(trial.Redelivered <= 0))
            yield return new("redelivered", trial.Redelivered, 0, $"{trial.Redelivered:0.#} messages are redelivered");
        if (!(trial.DeadLettered <= 0))
        {
            yield return new(
                "deadLettered.final",
                trial.DeadLettered,
                0,
                $"{trial.DeadLettered:0.#} messages are dead-lettered"
            );
        }

        if (!(trial.Errors <= 0))
            yield return new("http.5xx", trial.Errors, 0, $"{trial.Errors:0.#} calls are answered with 5xx");
    }

    public override string ToString() =>
        $"{Rate:0.#}/s{(NoLoss ? ", nothing lost" : "")}{(DrainSeconds is { } drain ? $", drained within {drain:0.#} s" : "")}"
        + (P95Seconds is { } latest ? $", 95 % within {latest:0.#} s" : "");

    private static string DrainText(double seconds, double limit) =>
        double.IsFinite(seconds)
            ? $"the queue is empty {seconds:0.#} s after the load instead of {limit:0.#} s"
            : $"the queue is not empty in the time that is observed ({limit:0.#} s are allowed)";
}

/// <summary>A figure that is not as the goal wants it.</summary>
/// <param name="Text">A sentence without its full stop.</param>
internal sealed record Miss(string Figure, double Value, double Wanted, string Text);

/// <summary>What came of a setting, in the model or in the lab. The drain is that of full length.</summary>
internal sealed record Trial(
    double Incoming,
    double Completed,
    double Redelivered,
    double DeadLettered,
    double Errors,
    double DrainSeconds,
    double BusiestNode
)
{
    /// <summary>Seconds from acceptance to completion.</summary>
    public double P95 { get; init; } = double.NaN;

    public static Trial Of(Measured measured, double k) => Of(figure => FigureTable.Find(figure).Of(measured), k);

    /// <param name="of">Figure → value of the stage as it was played; not a number: it is not known.</param>
    public static Trial Of(Func<string, double> of, double k) =>
        new(
            of("incoming.plateau"),
            of("completed.plateau"),
            of("redelivered"),
            of("deadLettered.final"),
            of("http.5xx"),
            of("drain") is var drain && double.IsFinite(drain) ? drain * k : double.PositiveInfinity,
            of("node.busiest")
        )
        {
            P95 = of("telemetry.ageP95"),
        };

    public static Trial Unknown { get; } = Of(_ => double.NaN, k: 1);

    /// <summary>The worst of several simulations, for a goal that all have to meet.</summary>
    public static Trial Worst(IReadOnlyCollection<Trial> trials) =>
        new(
            trials.Min(it => it.Incoming),
            trials.Min(it => it.Completed),
            trials.Max(it => it.Redelivered),
            trials.Max(it => it.DeadLettered),
            trials.Max(it => it.Errors),
            trials.Max(it => it.DrainSeconds),
            trials.Max(it => it.BusiestNode)
        )
        {
            P95 = trials.Max(it => it.P95),
        };
}
