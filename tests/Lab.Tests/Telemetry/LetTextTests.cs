using DroneDelivery.Telemetry.Query;

namespace DroneDelivery.Lab.Tests.Telemetry;

public sealed class LetTextTests
{
    [Fact]
    public void Let_values_are_escaped()
    {
        const string Text = "two\nlines\r\t\u0001 end, it's \\ \"odd\"";
        var let = new Dictionary<string, object> { ["one"] = "let two = 1;", ["two"] = "b" };

        Assert.Equal("let one = 'let two = 1;';\nlet two = 'b';", LetText.With("let one = '';\nlet two = '';", let));

        var answer = KqlQuery.Parse($"print is = {LetText.Literal(Text)}").Run(new([]), cancellationToken: Cancel);

        Assert.Equal(Text, answer[0, 0]);
        Assert.Equal("0.00001", LetText.Literal(0.00001));
    }
}
