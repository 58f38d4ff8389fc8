using DroneDelivery.Lab.Measure;
using DroneDelivery.Telemetry.Query;

namespace DroneDelivery.Lab.Report;

/// <summary>
/// Why a delivery took as long as it did, in sentences that its transaction shows: where its time went, how each handling of its message
/// ended, and what the services warned of meanwhile.
/// </summary>
internal sealed class DeliveryStory
{
    private const string WaitsFirst = "waiting in the queue",
        WaitsAgain = "waiting to be delivered again",
        Query = "warnings-outside";

    /// <summary>A wait or a call that is worth a sentence, in milliseconds and as a share of the whole.</summary>
    private const double Noticeable = 250,
        Share = 0.1;

    private const int MostHandlings = 6;

    /// <summary>A pause may have begun before the delivery was accepted.</summary>
    private static readonly TimeSpan Before = TimeSpan.FromMinutes(1);

    private readonly Transaction _transaction;
    private readonly List<Handling> _handlings;
    private readonly double _accepted,
        _ended;

    private DeliveryStory(Transaction transaction)
    {
        _transaction = transaction;
        _handlings = [.. Handling.AllOf(transaction).OrderBy(handling => handling.Step.Start)];
        if (_handlings is not [var first, ..])
            return;
        _accepted = first.Step.Start - first.Waited;
        _ended = _handlings.Max(handling => handling.Step.End);
    }

    private double Took => _ended - _accepted;

    private double FirstWait => _handlings[0].Waited;

    /// <summary>Empty for a transaction in which no message was handled.</summary>
    public static IReadOnlyList<string> Of(
        Transaction transaction,
        RunTelemetry telemetry,
        QueryLimits limits,
        CancellationToken cancellationToken = default
    )
    {
        var story = new DeliveryStory(transaction);
        return story._handlings.Count == 0
            ? []
            : [.. story.Sentences(), .. story.Warnings(telemetry, limits, cancellationToken)];
    }

    private IEnumerable<string> Sentences()
    {
        var largest = Parts().OrderByDescending(part => part.Value).First();
        yield return $"{Time(Took)} from acceptance to the end of the last handling, of which {Time(largest.Value)} {largest.Key}.";
        if (IsNoticeable(FirstWait))
            yield return $"It waited {Time(FirstWait)} in the queue before {_handlings[0].Step.Instance} handled it.";
        foreach (
            var (i, handling) in _handlings
                .Index()
                .Where(it => it.Index < MostHandlings - 1 || it.Index == _handlings.Count - 1)
        )
        {
            var which =
                $"Handling {i + 1} of {_handlings.Count}, {handling.Step.Instance}, {Time(handling.Step.Duration ?? 0)}";
            yield return $"{which}: {handling.End()}.";
        }

        var slowest = _handlings.SelectMany(handling => handling.Calls).MaxBy(call => call.Duration);
        if (slowest is { Duration: { } took } && IsNoticeable(took))
            yield return $"Slowest call: {NameOf(slowest)} took {Time(took)}.";
    }

    /// <summary>What the time went to → milliseconds.</summary>
    private Dictionary<string, double> Parts()
    {
        var parts = new Dictionary<string, double> { [WaitsFirst] = FirstWait };
        var end = _handlings[0].Step.Start;
        foreach (var handling in _handlings)
        {
            Add(WaitsAgain, Math.Max(0, handling.Step.Start - end));
            end = Math.Max(end, handling.Step.End);
            foreach (var call in handling.Calls)
                Add($"calling {TargetOf(call)}", call.Duration ?? 0);
            Add("settling the message", handling.Settlement?.Duration ?? 0);
        }
        return parts;

        void Add(string part, double milliseconds) => parts[part] = parts.GetValueOrDefault(part) + milliseconds;
    }

    /// <summary>Warnings of no request: a pause is of no delivery, and delays all.</summary>
    private List<string> Warnings(RunTelemetry telemetry, QueryLimits limits, CancellationToken cancellationToken)
    {
        DateTimeOffset start = _transaction.Start;
        var let = new Dictionary<string, object>
        {
            ["start"] = start - Before,
            ["end"] = start.AddMilliseconds(_ended),
        };
        var answer = telemetry.Ask(QueryFile.Read(Query), let, limits, cancellationToken);
        return
        [
            .. AnswerRow
                .AllOf(answer)
                .Select(row =>
                {
                    var at = (row.Time("firstAt") - _transaction.Start).TotalMilliseconds - _accepted;
                    var when = at < 0 ? $"{Time(-at)} before it was accepted" : $"{Time(at)} after it was accepted";
                    return $"{row["cloud_RoleInstance"]} warned {when}: {row["message"]}";
                }),
        ];
    }

    private bool IsNoticeable(double milliseconds) => milliseconds > Noticeable && milliseconds > Share * Took;

    private static string Time(double milliseconds) =>
        milliseconds < 1000 ? $"{milliseconds:0} ms" : $"{milliseconds / 1000:0.0} s";

    private static string NameOf(Step call) => $"{call.Name.Split(": ")[^1]} of {TargetOf(call)}";

    private static string TargetOf(Step call) => call.Message.Split(' ')[0];

    /// <summary>One handling of the message, with what it called and how it was settled.</summary>
    private sealed record Handling(Step Step, IReadOnlyList<Step> Inside)
    {
        private static readonly string[] Settlements = ["Complete", "Abandon", "DeadLetter"];

        /// <summary>Milliseconds in the queue before it began.</summary>
        public double Waited =>
            Step.Attributes.FirstOrDefault(it => it.Name == "timeSinceEnqueued").Value is { } text
            && double.TryParse(text, out var waited)
                ? waited
                : 0;

        public IEnumerable<Step> Calls =>
            Inside.Where(step =>
                step.Depth == Step.Depth + 1
                && step.Kind == "dependency"
                && step.Name.StartsWith("Http: ", StringComparison.Ordinal)
            );

        /// <summary>The last attempt to settle; null: there was none.</summary>
        public Step? Settlement =>
            Inside.LastOrDefault(step =>
                Settlements.Any(name => step.Name.EndsWith("." + name, StringComparison.Ordinal))
            );

        public static IEnumerable<Handling> AllOf(Transaction transaction)
        {
            var steps = transaction.Steps;
            return steps
                .Index()
                .Where(it =>
                    it.Item.Kind == "request" && it.Item.Name.EndsWith("ProcessMessage", StringComparison.Ordinal)
                )
                .Select(it => new Handling(
                    it.Item,
                    [.. steps.Skip(it.Index + 1).TakeWhile(inner => inner.Depth > it.Item.Depth)]
                ));
        }

        private bool IsOfDeadLetter => Step.Message.EndsWith("$deadletterqueue", StringComparison.OrdinalIgnoreCase);

        /// <summary>A copy is scheduled, and the message completed.</summary>
        private bool IsPutOff =>
            Inside.Any(step => step.Name.EndsWith(".Schedule", StringComparison.Ordinal) && !step.Failed);

        public string End()
        {
            var failed = Calls.LastOrDefault(call => call.Failed);
            var answered = failed is { Result.Length: > 0 } ? $"answered {failed.Result}" : "failed";
            var why = failed is null ? "" : $" after {NameOf(failed)} {answered}";
            return Settlement switch
            {
                _ when IsPutOff => $"put off{why}",
                null => $"not settled{why}",
                { Failed: true } lost when Says(lost).Contains("lock", StringComparison.OrdinalIgnoreCase) =>
                    "its lock was lost before it was settled, so the message was delivered again",
                { Failed: true } refused => $"it could not be settled: {Says(refused)}",
                var settled when settled.Name.EndsWith("DeadLetter", StringComparison.Ordinal) =>
                    $"moved to the dead-letter queue ({Step.Result}){why}",
                var settled when settled.Name.EndsWith("Complete", StringComparison.Ordinal) => Step.Failed
                    ? $"given up ({Step.Result})"
                : IsOfDeadLetter ? "what the failed request had begun is undone"
                : "completed",
                _ => $"returned to the queue{why}",
            };
        }

        private static string Says(Step step) =>
            step.Attributes.FirstOrDefault(it => it.Name == "error.message").Value ?? step.Result;
    }
}
