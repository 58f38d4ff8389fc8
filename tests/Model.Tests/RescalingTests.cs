namespace DroneDelivery.Model.Tests;

public sealed class RescalingTests
{
    [Fact]
    public void Twice_the_Workflows_on_twice_the_nodes_complete_twice_as_much_from_then_on()
    {
        var setting = Settings.Backlogged with
        {
            Handling = new(40, 100),
            Rescalings =
            [
                new(
                    100,
                    4,
                    [0],
                    [1, 3],
                    [
                        [2],
                        [2],
                        [2],
                    ]
                ),
            ],
        };

        var trace = Simulator.Run(setting, 3);

        Settings.Near(2 / 0.060, trace.Rate(10, 99));
        // The back ends' node is busy with 36 ms of each delivery, the limit from now on.
        Settings.Near(2 / 0.036, trace.Rate(110, 200));
    }

    [Fact]
    public void A_Workflow_that_goes_returns_what_it_has_not_begun_and_loses_nothing()
    {
        var setting = Settings.Backlogged with
        {
            Workflow = Settings.Backlogged.Workflow with { Nodes = [1, 1] },
            Handling = new(4, 100),
            Rescalings =
            [
                new(
                    50,
                    3,
                    [0],
                    [1],
                    [
                        [2],
                        [2],
                        [2],
                    ]
                ),
            ],
        };

        var trace = Simulator.Run(setting, 3);

        var after = trace.Samples.First(sample => sample.At >= 60);
        Assert.InRange(after.Queue.Locked, 4, 100);
        Assert.Equal(0, trace.Samples[^1].Queue.Redelivered);
        Assert.Equal(0, trace.Samples[^1].Queue.ExpiredLocks);
        Assert.Equal(20_000 + trace.Accepted, trace.Samples[^1].Queue.Completed + trace.Samples[^1].Queue.Active);
    }
}
