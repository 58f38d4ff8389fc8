using DroneDelivery.Telemetry.Query;

namespace DroneDelivery.Lab.Tests.Telemetry;

/// <summary>Queries with values that somebody else chose.</summary>
public sealed class LetTextTests
{
    [Fact]
    public void A_value_that_looks_like_a_let_statement_stays_a_value()
    {
        var let = new Dictionary<string, object> { ["one"] = "let two = 1;", ["two"] = "b" };

        Assert.Equal("let one = 'let two = 1;';\nlet two = 'b';", LetText.With("let one = '';\nlet two = '';", let));
    }

    [Theory]
    [InlineData("two\nlines\r\t\u0001 end")]
    [InlineData("it's \\ \"odd\"")]
    public void A_text_is_read_again_as_it_was(string text)
    {
        var answer = KqlQuery.Parse($"print is = {LetText.Literal(text)}").Run(new([]), cancellationToken: Cancel);

        Assert.Equal(text, answer[0, 0]);
    }

    [Fact]
    public void A_small_number_is_not_zero() => Assert.Equal("0.00001", LetText.Literal(0.00001));
}
