using DroneDelivery.Lab.Workshop;

namespace DroneDelivery.Lab.Tests.Workshop;

public sealed class KqlExerciseTests
{
    private static readonly Lazy<RunTelemetry> Stage1 = new(() =>
    {
        var telemetry = new FakeTelemetry();
        telemetry.Play(
            new("1", _ => 12, at => at < 3 ? MessageOutcome.Completed : MessageOutcome.OutOfMemory)
            {
                Load = 8,
                Observed = 2,
            },
            FakeRun.Start
        );
        return new(telemetry.Store.Snapshot());
    });

    public static TheoryData<string> Ids => [.. KqlExerciseTable.All.Select(exercise => exercise.Id)];

    [Theory, MemberData(nameof(Ids))]
    public void Solution_is_accepted_but_part_of_its_rows_is_not(string id)
    {
        var exercise = Of(id);

        Assert.Null(Missing(exercise, exercise.Solution));
        Assert.Equal("it has as many rows as the answer", Missing(exercise, exercise.Solution + " | take 0"));
        Assert.NotNull(Missing(exercise, exercise.Solution + " | project-away Column9"));
        Assert.NotNull(Missing(exercise, "requests | summarize count()"));
    }

    [Theory]
    [InlineData("kql-1", "requests | summarize n = count() by service = cloud_RoleName | order by n desc")]
    [InlineData(
        "kql-1",
        "requests | summarize requests = sum(itemCount) by cloud_RoleName | project requests, cloud_RoleName"
    )]
    [InlineData("kql-2", "dependencies | where not(success) | summarize count() by resultCode, target")]
    public void Names_and_order_of_columns_and_rows_do_not_matter(string id, string answer) =>
        Assert.Null(Missing(Of(id), answer));

    [Theory]
    [InlineData("kql-1", "requests | summarize sum(itemCount) by resultCode, name", "it has 2 columns")]
    [InlineData("kql-1", "requests | summarize 2 * count() by cloud_RoleName", "its rows are those of the answer")]
    [InlineData("kql-2", "dependencies | summarize count() by target, resultCode", "it has as many rows as the answer")]
    [InlineData("kql-2", "dependencies | wher success == false", "it is a query")]
    public void Wrong_answer_reports_the_missing_condition(string id, string answer, string missing) =>
        Assert.Equal(missing, Missing(Of(id), answer));

    private static KqlExercise Of(string id) => KqlExerciseTable.All.Single(exercise => exercise.Id == id);

    private static string? Missing(KqlExercise exercise, string answer) =>
        exercise.Check(Stage1.Value, answer).FirstOrDefault(finding => finding.Holds == false)?.Claim;
}
