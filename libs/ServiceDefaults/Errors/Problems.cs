using Microsoft.AspNetCore.Routing;
using Microsoft.Extensions.DependencyInjection;

namespace DroneDelivery.ServiceDefaults.Errors;

internal static class Problems
{
    public static void AddProblems(this IServiceCollection services)
    {
        services.AddProblemDetails();
        services.AddExceptionHandler<ProblemExceptionHandler>();
        // Otherwise a body that does not parse is a bare 400 outside Development, without the field's name.
        services.Configure<RouteHandlerOptions>(routes => routes.ThrowOnBadRequest = true);
    }
}
