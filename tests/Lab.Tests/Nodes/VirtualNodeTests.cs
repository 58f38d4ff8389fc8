using DroneDelivery.Model.Simulation;
using DroneDelivery.Model.Simulation.Nodes;

namespace DroneDelivery.Lab.Tests.Nodes;

/// <summary>The arithmetic of one node, in virtual time.</summary>
public sealed class VirtualNodeTests
{
    private static readonly NodeSetting NoSystem = new(1, 2), System8 = new(1, 2, 16, 100);

    [Fact]
    public void Two_servers_work_at_the_same_time_and_the_third_hold_waits_for_the_first_to_end()
    {
        var node = new Node(NoSystem, Ms(0), Ms(0));

        Assert.Equal([Ms(60), Ms(20), Ms(30)], [node.Hold(Ms(0), Ms(60)), node.Hold(Ms(0), Ms(20)), node.Hold(Ms(5), Ms(10))]);
    }

    [Fact]
    public void An_idle_server_begins_when_the_hold_arrives()
    {
        var node = new Node(NoSystem with { VCpu = 1 }, Ms(0), Ms(0));
        node.Hold(Ms(0), Ms(10));

        Assert.Equal(Ms(1_010), node.Hold(Ms(1_000), Ms(10)));
    }

    [Fact]
    public void Holds_are_served_in_the_order_in_which_they_came()
    {
        var node = new Node(NoSystem, Ms(0), Ms(0));

        var ends = Enumerable.Range(0, 50).Select(i => node.Hold(Ms(i), Ms(20))).ToList();

        Assert.Equal(ends.Order(), ends);
    }

    [Fact]
    public void Jobs_of_the_system_queue_like_any_other()
    {
        var node = new Node(System8 with { VCpu = 1 }, Ms(0), phase: Ms(50));

        Assert.Equal(Ms(60), node.Hold(Ms(0), Ms(60)));
        Assert.Equal(Ms(60 + 16 + 10), node.Hold(Ms(51), Ms(10)));  // behind the job that came at 50
        Assert.Equal(Ms(166 + 10), node.Hold(Ms(160), Ms(10))); // behind the job that came at 150
    }

    [Fact]
    public void Time_spent_is_what_was_worked_until_now_and_not_what_is_promised()
    {
        var node = new Node(NoSystem, Ms(0), Ms(0));
        node.Hold(Ms(0), Ms(100));
        node.Hold(Ms(0), Ms(40));
        node.Hold(Ms(0), Ms(30));

        Assert.Equal(
            [Ms(20), Ms(120), Ms(170), Ms(170)],
            [node.SpentUntil(Ms(10)), node.SpentUntil(Ms(60)), node.SpentUntil(Ms(100)), node.SpentUntil(Ms(500))]);
    }

    [Fact]
    public void An_idle_node_spends_the_share_of_the_system()
    {
        var node = new Node(System8, Ms(0), phase: Ms(30));

        Assert.Equal(0.08, node.SpentUntil(Ms(10_000)) / (2.0 * Ms(10_000)), 6);
    }

    [Fact]
    public void A_saturated_node_is_busy_all_the_time_and_gives_the_application_what_the_system_leaves()
    {
        var node = new Node(System8, Ms(0), phase: Ms(0));
        var waiting = new Queue<long>(Enumerable.Repeat(Ms(0), 10)); // ten holds are always there
        var done = 0;
        while (waiting.Dequeue() is var now && now < Ms(100_000))
        {
            waiting.Enqueue(node.Hold(now, Ms(20)));
            done++;
        }

        Assert.Equal(2 * Ms(100_000), node.SpentUntil(Ms(100_000)));
        Assert.Equal(100_000 * 1.84 / 20, done, 20.0);
    }

    [Fact]
    public void An_answer_that_comes_late_takes_nothing_from_a_queue()
    {
        // Four callers, each of which asks again only 9 ms after its hold was over: the queue is never empty, so nothing is lost.
        var node = new Node(NoSystem, Ms(0), Ms(0));
        var callers = new Queue<long>(Enumerable.Repeat(Ms(0), 4));
        var done = 0;
        while (callers.Dequeue() is var now && now < Ms(60_000))
        {
            callers.Enqueue(node.Hold(now, Ms(60)) + Ms(9));
            done++;
        }

        Assert.Equal(2_000, done, 4.0);
    }

    private static long Ms(double milliseconds) => TimeSpan.FromMilliseconds(milliseconds).Ticks;
}
