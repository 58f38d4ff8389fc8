namespace DroneDelivery.Articles.Tests.Tracking;

public sealed class TrackingOptionsTests
{
    private const string Account = "Tracking:ConnectionString=UseDevelopmentStorage=true";

    [Theory]
    [InlineData("'ConnectionString'", "Tracking:ConnectionString=")]
    [InlineData("'ConnectionString'", "Tracking:ConnectionString=somewhere")]
    [InlineData("'BatchSize'", Account, "Tracking:BatchSize=101")]
    [InlineData("'Tables'", Account, "Tracking:Tables:0=1st")]
    [InlineData(
        "Tracking:ConnectionString is set, too",
        Account,
        "Tracking:Endpoint=https://hits.table.core.windows.net"
    )]
    [InlineData("because tokens require TLS", "Tracking:Endpoint=http://hits.table.core.windows.net")]
    public async Task Invalid_setting_ends_the_process_with_its_name(string named, params string[] settings)
    {
        var typed = settings.Select(setting => setting.Split('=', 2)).ToDictionary(it => it[0], string? (it) => it[1]);

        var line = await ServiceProcess.RejectionAsync("Tracking", typed);

        Assert.Contains(named, line, StringComparison.Ordinal);
    }
}
