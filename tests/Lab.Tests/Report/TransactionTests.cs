namespace DroneDelivery.Lab.Tests.Report;

public sealed class TransactionTests
{
    [Fact]
    public void Steps_in_a_circle_of_parents_are_there_once_and_outside_of_all_others()
    {
        var transaction = Of(("root", null), ("a", "b"), ("b", "a"), ("inner", "root"));

        Assert.Equal(
            [("root", 0), ("inner", 1), ("a", 0), ("b", 1)],
            transaction.Steps.Select(step => (step.Name, step.Depth))
        );
    }

    /// <summary>Where each child were added for each of its parents, there would be 2 to the power of 60 steps.</summary>
    [Fact]
    public void Ids_that_are_there_twice_do_not_multiply_what_is_below_them_and_any_number_may_be_inside_of_each_other()
    {
        var chain = Enumerable.Range(0, 50_000).Select(i => ($"s{i}", i == 0 ? null : $"s{i - 1}")).ToList();

        Assert.Equal(120, Of([.. chain.Take(60).SelectMany(step => new[] { step, step })]).Steps.Count);
        Assert.Equal(49_999, Of([.. chain]).Steps[^1].Depth);
    }

    private static Transaction Of(params (string Id, string? Parent)[] steps)
    {
        var store = new TelemetryStore();
        foreach (var (i, (id, parent)) in steps.Index())
            SentItem.AddStep(store, ImitatedRun.Start.AddSeconds(i), "o", id, name: id, seconds: 1, parent: parent);
        return Transaction.Of(
            new RunTelemetry(store.Snapshot()).AskAll(TransactionQuery.Of(["o"]), DateTimeOffset.MaxValue)
        )!;
    }
}
