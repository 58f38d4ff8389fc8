namespace DroneDelivery.Lab.Tests.Nodes;

/// <summary>How long the thread of the CPU gates may sleep.</summary>
public sealed class DueAnswersTests
{
    private const int Longest = 50;

    private readonly DueAnswers _due = new();

    [Theory]
    [InlineData(20, 20)]
    [InlineData(20.4, 20)]
    [InlineData(-3, 0)] // is over
    [InlineData(3_600_000, Longest)] // nobody could stop a thread that sleeps for an hour
    public void It_is_until_the_next_answer_is_due_but_not_longer_than_its_owner_says(double due, int wait)
    {
        _due.Add(null!, 1, TimeSpan.FromMilliseconds(due));

        Assert.Equal(wait, _due.Wait(TimeSpan.Zero, Longest));
    }

    [Fact]
    public void It_is_as_long_as_its_owner_says_if_nothing_is_due() => Assert.Equal(Longest, _due.Wait(TimeSpan.Zero, Longest));
}
