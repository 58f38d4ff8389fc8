using System.Globalization;
using DroneDelivery.LocalServiceBus.Access;

namespace DroneDelivery.LocalServiceBus.Tests.Access;

public sealed class SasTokenTests
{
    private readonly ManualTimeProvider _clock = new();
    private readonly AccessRules _rules;

    public SasTokenTests() => _rules = new AccessRules([AccessRule.WellKnown], areRequired: true, _clock);

    private DateTimeOffset Soon => _clock.GetUtcNow().AddMinutes(5);

    [Theory]
    // Forms of the clients for .NET, JavaScript and Java, and of the JavaScript administration client, which uses
    // another order and the whole URL.
    [InlineData("SharedAccessSignature sr=sb%3A%2F%2Flocalhost%2Forders&sig={0}&se={1}&skn={2}", "orders")]
    [InlineData("SharedAccessSignature sr=amqp%3a%2f%2flocalhost%2forders&sig={0}&se={1}&skn={2}", "orders")]
    [InlineData(
        "SharedAccessSignature sig={0}&se={1}&skn={2}&sr=https%3a%2f%2flocalhost%3a5672%2forders%3fapi-version%3d2",
        "orders"
    )]
    [InlineData("sharedaccesssignature sr=sb%3A%2F%2Flocalhost%2F&sig={0}&se={1}&skn={2}", "")]
    [InlineData("SharedAccessSignature sr=sb%3A%2F%2Flocalhost&sig={0}&se={1}&skn={2}", "")]
    [InlineData(
        "SharedAccessSignature sr=sb%3A%2F%2Flocalhost%2Forders%2F%24DeadLetterQueue&sig={0}&se={1}&skn={2}",
        "orders/$DeadLetterQueue"
    )]
    public void Token_is_accepted_in_every_form_that_SDKs_use(string form, string path)
    {
        var resource = form.Split("sr=")[1].Split('&')[0];

        object[] parts = [Sas.Signature(resource, Soon), Soon.ToUnixTimeSeconds(), "RootManageSharedAccessKey"];
        var grant = _rules.Check(string.Format(CultureInfo.InvariantCulture, form, parts), out var why);

        Assert.Null(why);
        Assert.Equal(new Grant(path, AccessRights.All, Soon + AccessRules.Skew), grant);
    }

    [Theory]
    [InlineData("", "malformed")]
    [InlineData("SharedAccessSignature ", "malformed")]
    [InlineData("SharedAccessSignature sr=a&sig=b&se=c", "malformed")]
    [InlineData("Bearer sr=a&sig=b&se=1&skn=d", "malformed")]
    [InlineData("SharedAccessSignature sr=a&sr=b&sig=AA&se=99999999999&skn=RootManageSharedAccessKey", "malformed")]
    [InlineData("SharedAccessSignature sr=a&sig=AA==&se=99999999999&skn=RootManageSharedAccessKey", "malformed")]
    [InlineData("SharedAccessSignature sr=a&sig=%%%&se=99999999999&skn=RootManageSharedAccessKey", "malformed")]
    [InlineData(
        "SharedAccessSignature sr=a&sig=AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=&se=99999999999999999999&skn=RootManageSharedAccessKey",
        "malformed"
    )]
    [InlineData(
        "SharedAccessSignature sr=a&sig=AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=&se=9223372036854775807&skn=RootManageSharedAccessKey",
        "invalid signature"
    )]
    [InlineData(
        "SharedAccessSignature sr=a&sig=AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=&se=9999999999&skn=nobody",
        "The rule 'nobody' does not exist"
    )]
    public void Invalid_token_is_rejected_with_the_reason(string token, string reason)
    {
        Assert.Null(_rules.Check(token, out var why));
        Assert.Contains(reason, why, StringComparison.Ordinal);
    }

    [Fact]
    public void Changed_token_is_rejected()
    {
        var token = Sas.Token("sb://localhost/orders", Soon);
        Assert.NotNull(_rules.Check(token, out _));

        Assert.Null(_rules.Check(token.Replace("orders", "others", StringComparison.Ordinal), out _));
        Assert.Null(_rules.Check(token.Replace("&se=", "&se=9", StringComparison.Ordinal), out _));
        Assert.Null(_rules.Check(Sas.Token("sb://localhost/orders", Soon, key: "another"), out _));
        Assert.Null(_rules.Check(Sas.Token($"sb://localhost/{new string('x', 10_000)}", Soon), out _));
    }

    [Fact]
    public void Token_expires_after_its_expiry_time_and_the_clock_skew()
    {
        var token = Sas.Token("sb://localhost/orders", Soon);

        _clock.Advance(Soon + AccessRules.Skew - _clock.GetUtcNow() - TimeSpan.FromTicks(1));
        Assert.NotNull(_rules.Check(token, out _));
        _clock.Advance(TimeSpan.FromTicks(1));
        Assert.Null(_rules.Check(token, out var why));
        Assert.Contains("expired", why, StringComparison.Ordinal);
    }
}
