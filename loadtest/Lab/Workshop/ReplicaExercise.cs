using DroneDelivery.Lab.Cluster;
using DroneDelivery.Lab.Judge;
using DroneDelivery.Lab.Measure;
using DroneDelivery.Telemetry.Query;

namespace DroneDelivery.Lab.Workshop;

/// <summary>What happens when a replica is away: played by hand on the live page of <c>lab up</c>, and judged by its telemetry.</summary>
internal sealed record ReplicaExercise : Exercise
{
    /// <summary>Calls are counted while others still arrive: some more or less are the same answer.</summary>
    private const double Tolerance = 0.1;

    public static ReplicaExercise Only { get; } = new();

    private ReplicaExercise()
        : base(
            "stop-a-replica",
            "Stop one of two replicas of Delivery while deliveries are on their way, and start it again. How many of Workflow's calls "
                + "to Delivery failed meanwhile, and how many of the deliveries that were accepted meanwhile were lost?",
            "up --replicas delivery=2",
            []
        ) =>
        (Answer, Hints, Because) = (
            "FAILED, LOST",
            [
                "While `./lab send -n 5000 --callers 5` runs, stop delivery-0 on the page Resources, and start it ten seconds later.",
                "Browse lists the calls that failed. A delivery is lost only if its message is in delivery-requests-failed.",
            ],
            "A stopping replica answers what it has begun; later calls are refused, retried, and reach the other replica."
        );

    /// <returns>The folder of the application that runs, or of the last one that did.</returns>
    public override string Find(string? name)
    {
        var up = Path.Combine(Repository.LabFolder, "up");
        var folder = name is null
            ? up
            : FoldersByTime.Find(name, [up], "an application of ./lab up", $"in {Repository.LabFolder}");
        return File.Exists(Path.Combine(folder, TelemetryCollector.FileName))
            ? folder
            : throw new BadInputException($"{folder} has no telemetry. Begin with ./lab {BeginWith}.");
    }

    public override bool IsWhole(string folder) => true; // it is played while the application runs

    public override async Task<IReadOnlyList<Finding>> CheckAsync(
        string folder,
        string? answer,
        CancellationToken cancellationToken
    ) => Check(await RunTelemetry.LoadAsync(folder, _ => { }, cancellationToken), answer!);

    public IReadOnlyList<Finding> Check(RunTelemetry telemetry, string answer)
    {
        var (it, said) = (Absence.Of(telemetry), Numbers(answer));
        return Look([
            new(
                "a replica of Delivery was stopped on the live page",
                it.Stopped is not null,
                "Open Resources on the live page, and stop delivery-0."
            ),
            new("it was started again", it.Started is not null, "It is still away: start it on the same page."),
            new(
                "deliveries were on their way meanwhile",
                it.Accepted > 0,
                "No request was accepted while it was stopped: send some before you stop it, and enough of them."
            ),
            new(
                "every message has come to an end",
                it.Waiting == 0,
                $"{it.Waiting} of those messages are not completed yet. Wait until the queue is empty."
            ),
            new("the answer is two numbers", said is not null, "Write them as in --answer '12, 3'."),
            new(
                "so many calls failed",
                said is { Failed: var failed } && IsNear(failed, it.Failed),
                "Workflow's are asked for. Browse has them, with the name of the service and a time; "
                    + "so has the query failures-by-target."
            ),
            new(
                "so many were lost",
                said?.Lost == it.Lost,
                "Which of those that were accepted did Workflow give to the operators, in delivery-requests-failed?"
            ),
        ]);
    }

    private static bool IsNear(long said, long counted) => Math.Abs(said - counted) <= Math.Max(2, Tolerance * counted);

    private static (long Failed, long Lost)? Numbers(string answer) =>
        answer.Split(',') is [var failed, var lost]
        && long.TryParse(failed, out var first)
        && long.TryParse(lost, out var second)
            ? (first, second)
            : null;

    /// <summary>The last time that a replica of Delivery was away.</summary>
    /// <param name="Failed">Calls of Workflow to Delivery.</param>
    /// <param name="Lost">Messages that were accepted and given to the operators.</param>
    private sealed record Absence(
        DateTime? Stopped,
        DateTime? Started,
        long Accepted,
        long Failed,
        long Waiting,
        long Lost
    )
    {
        public static Absence Of(RunTelemetry telemetry)
        {
            var events = telemetry.AskAll(
                KqlQuery.Parse(
                    "customEvents | where name startswith 'Replica' and cloud_RoleInstance startswith 'delivery-' "
                        + "| project timestamp, name, cloud_RoleInstance | order by timestamp asc"
                ),
                DateTimeOffset.MaxValue
            );
            var all = Enumerable
                .Range(0, events.Rows)
                .Select(row =>
                    (At: (DateTime)events[row, 0]!, Name: (string)events[row, 1]!, Replica: (string)events[row, 2]!)
                )
                .ToList();
            var stop = all.LastOrDefault(it => it.Name == ReplicaSwitch.Stopped);
            if (stop.Name is null)
                return new(null, null, 0, 0, 0, 0);
            var start = all.FirstOrDefault(it =>
                it.Name == ReplicaSwitch.Started && it.Replica == stop.Replica && it.At > stop.At
            );
            return start.Name is null ? new(stop.At, null, 0, 0, 0, 0) : Between(telemetry, stop.At, start.At);
        }

        private static Absence Between(RunTelemetry telemetry, DateTime stopped, DateTime started)
        {
            var let = new Dictionary<string, object> { ["start"] = Time(stopped), ["end"] = Time(started) };
            var counts = telemetry.Ask(QueryFile.Read("replica-away"), let, QueryLimits.Default);
            long Count(string column) => counts.Column(column).First() is long count ? count : 0;
            var (accepted, completed, lost) = (Count("accepted"), Count("completed"), Count("lost"));
            return new(stopped, started, accepted, Count("failedCalls"), accepted - completed - lost, lost);
        }

        private static DateTimeOffset Time(DateTime time) => new(time, TimeSpan.Zero);
    }
}
