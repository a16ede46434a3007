#include "limber/base/executor.hpp"

#include "limber/base/error.hpp"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace limber {
namespace {

thread_local bool inside_loop = false;  ///< true on a thread that is running a body: nested loops stay serial

/// One parallel loop: threads draw the next index until none is left.
struct Loop {
  const std::function<void(std::ptrdiff_t)>& body;
  std::ptrdiff_t count;
  std::atomic<std::ptrdiff_t> next{0};
  std::mutex failure_mutex = {};
  std::exception_ptr failure = nullptr;

  void work() {
    inside_loop = true;
    for (std::ptrdiff_t i = next.fetch_add(1); i < count; i = next.fetch_add(1)) {
      try {
        body(i);
      } catch (...) {
        const std::lock_guard lock(failure_mutex);
        if (!failure) failure = std::current_exception();
        next = count;
      }
    }
    inside_loop = false;
  }
};

}  // namespace

/// The worker threads. They sleep until `generation_` changes, join the loop, and report back.
class Executor::Team {
 public:
  explicit Team(int workers) {
    try {
      for (int i = 0; i < workers; ++i) threads_.emplace_back([this] { run(); });
    } catch (const std::system_error&) {
      const std::size_t started = threads_.size();
      finish();
      throw Error("only {} of {} threads could be started; ask for fewer", started + 1, workers + 1);
    }
  }

  ~Team() { finish(); }

  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  [[nodiscard]] int workers() const { return static_cast<int>(threads_.size()); }

  void execute(Loop& loop) {
    const std::lock_guard one_loop_at_a_time(loop_mutex_);
    {
      const std::lock_guard lock(mutex_);
      loop_ = &loop;
      busy_ = workers();
      ++generation_;
    }
    wake_.notify_all();
    loop.work();
    std::unique_lock lock(mutex_);
    done_.wait(lock, [this] { return busy_ == 0; });
    loop_ = nullptr;
  }

 private:
  void finish() {
    {
      const std::lock_guard lock(mutex_);
      stop_ = true;
    }
    wake_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }

  void run() {
    long seen = 0;
    while (true) {
      Loop* loop = nullptr;
      {
        std::unique_lock lock(mutex_);
        wake_.wait(lock, [&] { return stop_ || generation_ != seen; });
        if (stop_) return;
        seen = generation_;
        loop = loop_;
      }
      loop->work();
      const std::lock_guard lock(mutex_);
      if (--busy_ == 0) done_.notify_one();
    }
  }

  std::vector<std::thread> threads_;
  std::mutex loop_mutex_;  ///< loops started from different threads take turns
  std::mutex mutex_;       ///< guards what follows
  std::condition_variable wake_;
  std::condition_variable done_;
  Loop* loop_ = nullptr;
  long generation_ = 0;
  int busy_ = 0;
  bool stop_ = false;
};

Executor::Executor(int threads) {
  if (threads <= 0) threads = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  team_ = std::make_shared<Team>(threads - 1);
}

int Executor::threads() const { return team_->workers() + 1; }

void Executor::parallel_for(std::ptrdiff_t count, const std::function<void(std::ptrdiff_t)>& body) const {
  if (count <= 0) return;
  if (inside_loop || count == 1 || team_->workers() == 0) {
    for (std::ptrdiff_t i = 0; i < count; ++i) body(i);
    return;
  }
  Loop loop{body, count};
  team_->execute(loop);
  if (loop.failure) std::rethrow_exception(loop.failure);
}

void Executor::parallel_ranges(std::ptrdiff_t count, std::ptrdiff_t grain,
                               const std::function<void(std::ptrdiff_t, std::ptrdiff_t)>& body) const {
  grain = std::max<std::ptrdiff_t>(grain, 1);
  parallel_for((count + grain - 1) / grain,
               [&](std::ptrdiff_t i) { body(i * grain, std::min(count, (i + 1) * grain)); });
}

}  // namespace limber
