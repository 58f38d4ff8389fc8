using System.Net.Http.Headers;
using Azure.Core;
using Azure.Identity;
using Microsoft.Extensions.Options;

namespace DroneDelivery.Calls;

/// <summary>Adds the process's access token to each attempt if <c>CallerToken:Scope</c> is set. The credential caches the token.</summary>
internal sealed class CallerToken(IOptions<CallerTokenOptions> options, IServiceProvider provider) : DelegatingHandler
{
    protected override async Task<HttpResponseMessage> SendAsync(
        HttpRequestMessage request,
        CancellationToken cancellationToken
    )
    {
        if (options.Value.Scope is { } scope)
            request.Headers.Authorization = await GetTokenAsync(scope, cancellationToken);
        return await base.SendAsync(request, cancellationToken);
    }

    private async Task<AuthenticationHeaderValue> GetTokenAsync(string scope, CancellationToken cancellationToken)
    {
        try
        {
            var credential = provider.GetRequiredService<TokenCredential>();
            var token = await credential.GetTokenAsync(new([scope]), cancellationToken);
            return new("Bearer", token.Token);
        }
        catch (AuthenticationFailedException exception)
        {
            throw new HttpRequestException(
                $"Could not get a token for CallerToken:Scope. {exception.Message}",
                exception
            );
        }
    }
}
