using System.Text.RegularExpressions;
using DroneDelivery.Testing;

namespace DroneDelivery.Architecture.Tests;

/// <summary>A token that a caller passes is <c>cancellationToken</c> everywhere; one that stands for a single event is named after
/// it.</summary>
public sealed partial class TokenNamesTests
{
    // The owner stops; the client leaves, aborts or is gone.
    private static readonly string[] Names =
    [
        "cancellationToken",
        "stopping",
        "stoppingToken",
        "left",
        "aborted",
        "clientGone",
    ];

    [Fact]
    public void A_parameter_that_is_a_token_is_named_in_full() =>
        Assert.Equal([], from file in Repository.Code() from name in Misnamed(file.Text) select $"{file.Path}: {name}");

    [Theory]
    [InlineData("Task Send(TOKEN cancellationToken)", 0)]
    [InlineData("Task Send(Message message, TOKEN ct = default)", 1)]
    [InlineData("Task Send(TOKEN ct, int times)", 1)]
    [InlineData("MapGet((TOKEN left, TOKEN token) => 1)", 1)]
    [InlineData("Task Send(TOKEN? until)", 1)]
    [InlineData("TOKEN limit = source.Token;", 0)]
    [InlineData("record Call(TOKEN Cancelled);", 0)]
    public void Only_parameters_count(string source, int expected) =>
        Assert.Equal(
            expected,
            Misnamed(source.Replace("TOKEN", "CancellationToken", StringComparison.Ordinal)).Count()
        );

    private static IEnumerable<string> Misnamed(string source) =>
        Parameter().Matches(source).Select(match => match.Groups[1].Value).Except(Names);

    // The property of a record begins with a capital letter.
    [GeneratedRegex(@"\bCancellationToken\??\s+([a-z]\w*)\s*(?:,|\)|=\s*default\b)")]
    private static partial Regex Parameter();
}
