using DroneDelivery.ServiceDefaults;
using DroneDelivery.Tracking;
using DroneDelivery.Tracking.Tables;
using DroneDelivery.Tracking.Writing;

var builder = WebApplication.CreateSlimBuilder(args);
builder.AddServiceDefaults("tracking");
builder.Services.AddTables();
builder.Services.AddHitWriter(builder.Configuration);

var app = builder.Build();
app.MapServiceDefaults();

var track = app.MapApi("/track").ProducesValidationProblem();
track.MapGet("/{table}", TrackHit.HandleAsync).ProducesProblem(StatusCodes.Status503ServiceUnavailable);
track.MapGet("/counters", ShowCounters.Handle);

return await app.RunServiceAsync();
