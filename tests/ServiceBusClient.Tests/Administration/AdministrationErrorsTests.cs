using Azure.Messaging.ServiceBus.Administration;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.Logging;

namespace Azure.Messaging.ServiceBus.Tests.Administration;

/// <summary>What the client makes of the statuses of a management interface.</summary>
public sealed class AdministrationErrorsTests : IAsyncLifetime
{
    private readonly WebApplication _server;
    private int _status;
    private string _says = "";

    public AdministrationErrorsTests()
    {
        var builder = WebApplication.CreateSlimBuilder();
        builder.WebHost.UseUrls("http://127.0.0.1:0");
        builder.Logging.ClearProviders();
        _server = builder.Build();
        _server.Run(context =>
        {
            context.Response.StatusCode = _status;
            context.Response.ContentType = "application/xml";
            return context.Response.WriteAsync($"<Error><Code>{_status}</Code><Detail>{_says}</Detail></Error>", Cancelled);
        });
    }

    private static CancellationToken Cancelled => TestContext.Current.CancellationToken;

    private ServiceBusAdministrationClient Client => new(
        $"Endpoint=sb://127.0.0.1:{new Uri(_server.Urls.First()).Port};SharedAccessKeyName=a;SharedAccessKey=b;"
            + "UseDevelopmentEmulator=true");

    public async ValueTask InitializeAsync() => await _server.StartAsync(Cancelled);

    public ValueTask DisposeAsync() => _server.DisposeAsync();

    [Theory]
    [InlineData(400, "MaxDeliveryCount", typeof(ArgumentException))]
    [InlineData(401, "no rights", typeof(UnauthorizedAccessException))]
    [InlineData(403, "SubCode=40301. The operation does not fit.", typeof(InvalidOperationException))]
    public async Task A_mistake_of_the_caller_is_an_exception_of_the_platform(int code, string detail, Type type)
    {
        (_status, _says) = (code, detail);

        var error = await Assert.ThrowsAnyAsync<Exception>(() => Client.GetQueueAsync("orders", Cancelled));

        Assert.IsType(type, error);
        Assert.IsType<RequestFailedException>(error.InnerException);
        Assert.Contains(detail, error.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(403, ServiceBusFailureReason.QuotaExceeded, false)]
    [InlineData(404, ServiceBusFailureReason.MessagingEntityNotFound, false)]
    [InlineData(412, ServiceBusFailureReason.GeneralError, true)]
    public async Task Other_statuses_are_reasons(int code, ServiceBusFailureReason reason, bool transient)
    {
        _status = code;

        var error = await Assert.ThrowsAsync<ServiceBusException>(() => Client.GetQueueAsync("orders", Cancelled));

        Assert.Equal((reason, transient), (error.Reason, error.IsTransient));
        Assert.Contains($"{code}", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_conflict_means_that_the_queue_exists_only_when_it_was_to_be_created()
    {
        _status = 409;

        var created = await Assert.ThrowsAsync<ServiceBusException>(() => Client.CreateQueueAsync("orders", Cancelled));
        var updated = await Assert.ThrowsAsync<ServiceBusException>(
            () => Client.UpdateQueueAsync(new QueueProperties("orders"), Cancelled));
        var deleted = await Assert.ThrowsAsync<ServiceBusException>(() => Client.DeleteQueueAsync("orders", Cancelled));

        Assert.Equal((ServiceBusFailureReason.MessagingEntityAlreadyExists, false), (created.Reason, created.IsTransient));
        Assert.All(
            [updated, deleted],
            error => Assert.Equal((ServiceBusFailureReason.GeneralError, true), (error.Reason, error.IsTransient)));
    }

    [Fact]
    public async Task Only_not_found_means_that_a_queue_does_not_exist()
    {
        _status = 404;
        Assert.False(await Client.QueueExistsAsync("orders", Cancelled));
        _status = 401;
        await Assert.ThrowsAsync<UnauthorizedAccessException>(() => Client.QueueExistsAsync("orders", Cancelled));
    }
}
